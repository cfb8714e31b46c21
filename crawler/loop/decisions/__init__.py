"""What a visit changes, what is counted, how a crawl ends. Pure."""
