"""Estimates the global PageRank from a crawl, and how wrong the estimate may be."""
