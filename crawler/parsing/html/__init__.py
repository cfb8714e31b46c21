"""Reads HTML pages: text, links and other elements."""
