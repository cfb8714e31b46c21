"""Frontier policies that order pages by a topic."""
