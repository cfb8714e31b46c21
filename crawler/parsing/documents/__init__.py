"""Converts other documents to HTML with the same title, headings, text, links and language."""
