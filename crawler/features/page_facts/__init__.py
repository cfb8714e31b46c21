"""Collects what an audit needs to know about each page beyond its text and its links."""
