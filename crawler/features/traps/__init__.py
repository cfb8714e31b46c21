"""Endless spaces: how they are noticed and slowed down. Pure."""
