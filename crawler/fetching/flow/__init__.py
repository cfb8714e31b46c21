"""How much may be in flight at a time, by what the network and this machine have shown; what bounds a crawl now."""
