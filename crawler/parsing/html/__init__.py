"""HTML pages: the tree, and what is read from it."""
