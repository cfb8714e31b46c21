"""URLs: their canonical form, and the test whether one has been seen."""
