"""Extracts fields from pages by rules and hooks."""
