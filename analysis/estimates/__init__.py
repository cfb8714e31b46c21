"""Estimates the global PageRank from a crawl, and predicts how wrong the estimate may be."""
