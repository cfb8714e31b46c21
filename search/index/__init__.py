"""Building the index of a store, and searching it."""
