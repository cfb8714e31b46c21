"""The crawl as a whole: who does what next, and the order in which things become true."""
