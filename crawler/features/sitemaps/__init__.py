"""Reads what sites say about their pages in sitemaps, feeds and notices, and decides when to read again."""
