"""Keeps the event loop from its work."""

import time


def block_the_loop(seconds: float) -> None:
    """Keep the event loop from doing anything else, as a long computation would."""
    time.sleep(seconds)
