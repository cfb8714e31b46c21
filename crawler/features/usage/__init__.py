"""Reads what sites say about the use of their pages for search, as input of AI systems, and to train AI systems."""
