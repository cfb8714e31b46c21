"""The frontier: which page is visited next, and when its host may be visited."""
