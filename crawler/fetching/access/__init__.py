"""Additions to single requests, such as credentials and proxies, and the secrets that no log or archive may show."""
