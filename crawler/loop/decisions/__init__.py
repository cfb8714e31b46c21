"""What a visit changes, what is counted, and how a crawl ends. Pure."""
