"""Rules for three sites of the webfarm: how many of their records are right, and what a page costs."""
