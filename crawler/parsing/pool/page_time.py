"""How long a page may take to be read, and when who reads it had better give what it has."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from hinterland.crawler.parsing.pool.progress import seconds_used

CLOCK_SHARE: Final = 3
"""A page is overdue when it has had its seconds as CPU time, or so many times as much has passed."""


def half_time(
    seconds: float, *, used: Callable[[], float] = seconds_used, clock: Callable[[], float] = time.monotonic
) -> Callable[[], bool]:
    """Whether half of the time of a page that begins now is over. seconds: of CPU time, that it has.

    used, clock: seconds of CPU time of this process, and of the time of day.
    """
    at_first, begun = used(), clock()
    return lambda: used() - at_first > seconds / 2 or clock() - begun > CLOCK_SHARE * seconds / 2
