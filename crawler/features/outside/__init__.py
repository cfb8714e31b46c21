"""Which pages outside the local domain are fetched, round by round, and the estimates they are for."""
