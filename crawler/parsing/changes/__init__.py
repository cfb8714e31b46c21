"""Decides whether the content of a page that was fetched again has changed, and not only its surroundings."""
