"""Requests files to which pages lead, for features; records which files are known, wait or are requested."""
