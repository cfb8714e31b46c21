"""Detects soft 404s: pages that answer 200 but say that the page does not exist."""
