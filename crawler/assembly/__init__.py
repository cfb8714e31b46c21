"""Puts a crawl together from settings, seeds and a store, and runs it."""
