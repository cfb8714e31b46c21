"""Rendering of pages in a browser: what a page may do meanwhile, and the messages about it. Pure."""
