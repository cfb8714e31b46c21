"""Detects crawler traps, such as endless calendars, and visits their pages last. Pure."""
