"""Converts documents that are not HTML to HTML with the same title, headings, text, links and language."""
