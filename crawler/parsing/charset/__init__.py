"""Determines the character encoding of pages."""
