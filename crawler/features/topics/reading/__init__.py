"""What pages and links say of the topic of a crawl, read in the parser processes."""
