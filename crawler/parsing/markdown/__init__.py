"""A page as Markdown: its blocks in order, and parts of it by heading."""
