"""Measurements of whole crawls; see README.md."""
