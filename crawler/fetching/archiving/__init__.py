"""WARC files, written beside a crawl."""
