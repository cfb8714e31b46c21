"""Renders pages in a browser: what a page may fetch meanwhile, and the messages between crawl and browser."""
