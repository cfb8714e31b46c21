"""Building the index of a store, and asking it."""
