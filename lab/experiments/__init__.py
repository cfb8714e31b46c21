"""Crawls of a stored graph: in batches, under a virtual clock, or by all strategies on one domain."""
