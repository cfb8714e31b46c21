"""Archives of the web: WARC files written beside a crawl, and those of others taken in."""
