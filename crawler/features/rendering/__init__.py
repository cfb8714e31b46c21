"""Renders pages in a browser, limits what a page may fetch meanwhile, and defines the messages to the browser."""
