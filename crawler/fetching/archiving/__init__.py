"""Writes WARC files during a crawl."""
