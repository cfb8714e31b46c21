"""Which page is next, and when its host may be visited."""
