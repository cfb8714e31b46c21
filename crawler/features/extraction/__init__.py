"""Records that rules extract from pages while the crawl runs."""
