"""Flow control: how many requests may be in flight, given network and machine, and what limits the crawl's speed."""
