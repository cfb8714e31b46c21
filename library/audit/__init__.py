"""Finds what is wrong with a site from the store of its crawl. It reports only what the crawl has really seen."""
