"""Storage of an index: the term index and the document store.

Everything that uses tantivy is here.
"""
