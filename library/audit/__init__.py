"""What is wrong with a site, by the store of its crawl; only what the crawl has really seen is said."""
