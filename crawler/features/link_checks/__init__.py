"""Checks whether the files exist that pages load, and the pages of other hosts that they link to."""
