"""Focused crawling: how likely a page is about a topic, and which links lead to more."""
