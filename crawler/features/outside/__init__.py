"""Samples pages outside the local domain, round by round, for estimates of PageRank."""
