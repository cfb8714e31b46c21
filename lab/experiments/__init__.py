"""Crawls of a stored graph: in batches, under a virtual clock, all strategies on one domain."""
