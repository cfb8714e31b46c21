"""An HTML page: its tree, and what is read of it."""
