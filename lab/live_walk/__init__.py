"""A random walk over the live web that chooses which pages to fetch."""
