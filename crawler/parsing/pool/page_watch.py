"""Detects pages that keep a parser process busy for too long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from hinterland.crawler.parsing.pool.page_time import CLOCK_SHARE

SLOW_SECONDS: Final = 0.03
"""A page that uses more CPU time gets its process to itself: the pages behind it go to other processes. Typical pages
take a millisecond, and pages of a megabyte take about this long. With 0.2, eight small slow pages made the others wait
for 20 s on a machine with eight times more work than it could do.
"""
LEAST_SECONDS: Final = 0.01


class PageWatch:
    """Measures how long the current page takes: first until it counts as slow, then until it is overdue.

    It checks periodically, since a timer for each page would cost more than most pages themselves.
    """

    def __init__(self, used: Callable[[], float], slow: Callable[[], None], overdue: Callable[[], None]) -> None:
        """Start without a page.

        `used` returns the seconds of CPU time that the current page has used. `slow` and `overdue` are called when the
        page becomes slow or overdue; after `slow`, the measurement continues only with `allow_slow`.
        """
        self._used = used
        self._slow = slow
        self._overdue = overdue
        self._has_page = False
        self._seconds = 0.0
        self._begun = 0.0
        self._is_looking = False
        self._timer: asyncio.TimerHandle | None = None

    def page_begins(self, seconds: float) -> None:
        """Start measuring the next page, which may use `seconds` of CPU time."""
        if not self._is_looking:
            self.stop()
        self._has_page = True
        self._seconds = seconds
        self._begun = asyncio.get_running_loop().time()
        if seconds <= SLOW_SECONDS:
            self.allow_slow()
        elif self._timer is None:
            self._is_looking = True
            self._timer = asyncio.get_running_loop().call_later(SLOW_SECONDS, self._look)

    def page_ends(self) -> None:
        """Note that no page is being parsed."""
        self._has_page = False
        if not self._is_looking:
            self.stop()

    def allow_slow(self) -> None:
        """Let the current page continue until it is overdue."""
        self.stop()
        self._judge(self._seconds, self._overdue)

    def give(self, seconds: float) -> None:
        """Call `overdue` after `seconds`; this limits the time of something other than a page."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._overdue)

    def stop(self) -> None:
        """Cancel the timer."""
        self._is_looking = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._is_looking, self._timer = False, None
        if self._has_page:
            self._judge(SLOW_SECONDS, self._slow)

    def _judge(self, seconds: float, verdict: Callable[[], None]) -> None:
        """Call `verdict` once the page has used that much CPU time, or its wall-clock limit has passed."""
        used = self._used()
        loop = asyncio.get_running_loop()
        left = self._begun + CLOCK_SHARE * self._seconds - loop.time()
        if used < seconds and left > 0:  # it shares its core with others
            pause = min(max(seconds - used, LEAST_SECONDS), left)
            self._timer = loop.call_later(pause, self._judge, seconds, verdict)
        else:
            self._timer = None
            verdict()
