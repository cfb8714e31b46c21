"""Requests files for features because pages lead to them, and keeps which files are known and which are next."""
