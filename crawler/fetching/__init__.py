"""One request and what its answer means."""
