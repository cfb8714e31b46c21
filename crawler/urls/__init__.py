"""The canonical form of URLs, and the test whether a URL has been seen before."""
