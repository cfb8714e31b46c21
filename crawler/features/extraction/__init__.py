"""Records that rules take out of pages, as the crawl goes."""
