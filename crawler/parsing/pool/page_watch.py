"""Notices pages that keep a parser process busy for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from hinterland.crawler.parsing.pool.page_time import CLOCK_SHARE

SLOW_SECONDS: Final = 0.03
"""A page that takes more CPU time has its process to itself: what was to come after it goes to others. Usual pages
take a millisecond, those of a megabyte about so much. At 0.2, eight small slow pages kept the others waiting for 20 s
on a machine that had eight times more to do than it could."""
LEAST_SECONDS: Final = 0.01


class PageWatch:
    """Gives the page at hand its time: at first so much that it need not wait for others, nor they for it.

    It looks now and then, since a timer for each page would cost more than most pages do.
    """

    def __init__(self, used: Callable[[], float], slow: Callable[[], None], overdue: Callable[[], None]) -> None:
        """used: seconds of CPU time, for the page at hand so far. slow, overdue: called when it turns out to be that;
        after slow, `wait_to_the_end` goes on.
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
        """Another page is at hand, for so many seconds of CPU time at most."""
        if not self._is_looking:
            self.stop()
        self._has_page = True
        self._seconds = seconds
        self._begun = asyncio.get_running_loop().time()
        if seconds <= SLOW_SECONDS:
            self.wait_to_the_end()
        elif self._timer is None:
            self._is_looking = True
            self._timer = asyncio.get_running_loop().call_later(SLOW_SECONDS, self._look)

    def page_ends(self) -> None:
        """No page is at hand."""
        self._has_page = False
        if not self._is_looking:
            self.stop()

    def wait_to_the_end(self) -> None:
        """Let the page at hand be slow."""
        self.stop()
        self._judge(self._seconds, self._overdue)

    def give(self, seconds: float) -> None:
        """Let something else than a page be overdue then."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._overdue)

    def stop(self) -> None:
        self._is_looking = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._is_looking, self._timer = False, None
        if self._has_page:
            self._judge(SLOW_SECONDS, self._slow)

    def _judge(self, seconds: float, verdict: Callable[[], None]) -> None:
        """Call verdict once the page has used so many seconds, or has had its time."""
        used = self._used()
        loop = asyncio.get_running_loop()
        left = self._begun + CLOCK_SHARE * self._seconds - loop.time()
        if used < seconds and left > 0:  # it has to share its core
            pause = min(max(seconds - used, LEAST_SECONDS), left)
            self._timer = loop.call_later(pause, self._judge, seconds, verdict)
        else:
            self._timer = None
            verdict()
