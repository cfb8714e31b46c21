"""Reads links, text and other data from the bytes of a response body."""
