"""Stores records that rules extract from pages while the crawl runs."""
