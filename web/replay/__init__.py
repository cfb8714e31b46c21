"""Shows archived pages as they were, on an origin of their own, without scripts, and using only the archive."""
