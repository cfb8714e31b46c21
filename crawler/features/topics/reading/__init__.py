"""Reads, in the parser processes, what pages and links say about the topic of a crawl."""
