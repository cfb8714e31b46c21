"""Files that features request because pages lead to them: which are known, and which is requested next."""
