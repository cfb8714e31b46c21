"""Processes of their own for whatever touches a body."""
