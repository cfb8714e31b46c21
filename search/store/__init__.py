"""The terms of the documents: which words stand where. A tantivy index in one folder, and all that knows tantivy."""
