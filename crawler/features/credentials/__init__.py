"""Credentials: the logins of a crawl for single hosts, and the requests with which they are sent."""
