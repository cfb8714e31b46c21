"""What sites say about their pages: sitemaps and feeds, read within bounds, and when to read them again."""
