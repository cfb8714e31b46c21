"""Passes cookie gates: pages that a site shows only to clients that send its cookie back."""
