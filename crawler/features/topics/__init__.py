"""Focused crawling: estimates how likely a page is about a topic, and predicts which links lead to such pages."""
