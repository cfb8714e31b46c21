"""Chosen header fields of responses, kept with each page."""
