"""The visible text of a page in blocks, and which of them are its main content."""
