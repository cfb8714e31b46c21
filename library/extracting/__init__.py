"""Applies rules again to the bodies that a store has kept."""
