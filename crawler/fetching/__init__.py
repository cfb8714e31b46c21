"""Makes single requests, and interprets their answers."""
