"""Asks once for each file that pages load, and each page of other hosts to which they link, whether it is there."""
