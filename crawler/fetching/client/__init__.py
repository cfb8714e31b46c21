"""Requests: their phases and clocks, connections, what came back."""
