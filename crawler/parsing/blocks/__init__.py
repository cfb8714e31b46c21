"""The visible text of a page in blocks, and which blocks are its main content."""
