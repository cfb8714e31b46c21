"""Extraction of fields from pages: the rules, and what they find in a page's tree."""
