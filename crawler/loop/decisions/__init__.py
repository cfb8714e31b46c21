"""Decisions: what a visit changes, what is counted, and when a crawl ends. Pure."""
