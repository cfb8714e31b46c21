"""Stores chosen header fields of the responses."""
