"""Credentials: the logins that a crawl has for single hosts, and the requests with which they are sent."""
