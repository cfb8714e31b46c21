"""Renders pages in a headless Chromium, in processes of its own without access to the network."""
