"""URLs: their canonical form, and which have been seen."""
