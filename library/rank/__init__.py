"""Ranks of the pages of a store."""
