"""Processes that do all work on response bodies."""
