"""Reads links and text from the bytes of a response body."""
