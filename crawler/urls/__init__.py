"""URLs: their one form, and which have been seen."""
