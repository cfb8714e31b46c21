"""Learns with what probability links lead to pages about a topic."""
