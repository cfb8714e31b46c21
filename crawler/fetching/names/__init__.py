"""Resolves host names to addresses: concurrent DNS lookups, and a cache of their results."""
