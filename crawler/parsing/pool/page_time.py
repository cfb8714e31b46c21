"""How long parsing a page may take, and when its reader should return what it has."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from hinterland.crawler.parsing.pool.progress import seconds_used

CLOCK_SHARE: Final = 3
"""A page is overdue when it has used its seconds of CPU time, or this many times as much has passed."""


def half_time(
    seconds: float, *, used: Callable[[], float] = seconds_used, clock: Callable[[], float] = time.monotonic
) -> Callable[[], bool]:
    """Return a function that tells whether half of the time of a page that begins now has passed.

    `seconds` is the CPU time the page may take; `used` and `clock` return this process's CPU time and the time of day,
    in seconds.
    """
    at_first, begun = used(), clock()
    return lambda: used() - at_first > seconds / 2 or clock() - begun > CLOCK_SHARE * seconds / 2
