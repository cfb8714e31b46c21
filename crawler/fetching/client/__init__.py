"""The HTTP client: connections, requests with their phases and time limits, and results."""
