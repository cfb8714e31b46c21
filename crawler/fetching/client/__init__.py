"""Requests: connections, look-ups of names, what came back."""
