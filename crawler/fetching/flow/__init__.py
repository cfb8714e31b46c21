"""How much may be under way at a time, by what the network and this machine have shown; and what bounds a crawl now."""
