"""The search engine over a store: documents, the index, the query language and ranking."""
