"""Learns how likely links lead to pages about a topic."""
