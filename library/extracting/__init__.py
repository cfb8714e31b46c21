"""Applies extraction rules to the page bodies that a store has kept."""
