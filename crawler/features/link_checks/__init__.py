"""Checks whether files that pages load, and pages of other hosts that they link to, exist."""
