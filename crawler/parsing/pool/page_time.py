"""Limits how long parsing a page may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from hinterland.crawler.parsing.pool.progress import seconds_used

CLOCK_SHARE: Final = 3
"""A page is overdue when it has used its seconds of CPU time, or after this many times as much wall-clock time."""


def half_time(
    seconds: float, *, used: Callable[[], float] = seconds_used, clock: Callable[[], float] = time.monotonic
) -> Callable[[], bool]:
    """Return a function that says whether a page that begins now has used half of its time.

    `seconds` is the CPU time that the page may take. `used` and `clock` return this process's CPU time and a wall-clock
    time, in seconds.
    """
    at_first, begun = used(), clock()
    return lambda: used() - at_first > seconds / 2 or clock() - begun > CLOCK_SHARE * seconds / 2
