"""Shows archived pages as they were, on an origin of its own: without scripts, and with everything from the archive."""
