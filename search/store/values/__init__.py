"""Values of the term index and the document store."""
