"""The known pages: their numbers, whether they are local, and their depths."""
