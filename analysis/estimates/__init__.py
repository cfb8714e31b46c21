"""Estimates of the global PageRank from a crawl, and how wrong they may be."""
