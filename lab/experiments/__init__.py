"""Crawls of a stored graph: in batches, under a virtual clock, or with all strategies on one domain."""
