"""From a store to a search engine: documents, the index, queries, and how answers are ranked."""
