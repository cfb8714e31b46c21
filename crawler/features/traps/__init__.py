"""Crawler traps, such as endless calendars: how they are detected and deprioritised. Pure."""
