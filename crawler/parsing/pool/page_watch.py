"""Notices pages that keep a parser process busy for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

SLOW_SECONDS: Final = 0.2
"""A page that takes more CPU time has its process to itself: what was to come after it goes to others. Usual pages
take a millisecond, those of 10 MB a quarter of a second."""
LEAST_SECONDS: Final = 0.02


class PageWatch:
    """Gives the page at hand its time: at first so much that it need not wait for others, nor they for it.

    It looks now and then, since a timer for each page would cost more than most pages do.
    """

    def __init__(
        self, cpu_seconds: Callable[[], float], slow: Callable[[], None], overdue: Callable[[], None]
    ) -> None:
        """cpu_seconds: that the process has used so far. slow, overdue: called when the page turns out to be that."""
        self._cpu_seconds = cpu_seconds
        self._slow = slow
        self._overdue = overdue
        self._has_page = False
        self._deadline = 0.0
        self._cpu_before: float | None = None  # when the page at hand was looked at first
        self._is_looking = False
        self._timer: asyncio.TimerHandle | None = None

    def page_begins(self, seconds: float, *, is_slow: bool) -> None:
        """Another page is at hand, for so many seconds at most. is_slow: that is known, and nobody waits for it."""
        if not self._is_looking:
            self.stop()
        loop = asyncio.get_running_loop()
        self._has_page = True
        self._deadline = loop.time() + seconds
        if is_slow or seconds <= SLOW_SECONDS:
            self.wait_to_the_end()
            return
        self._cpu_before = None
        if self._timer is None:
            self._look_again()

    def page_ends(self) -> None:
        """No page is at hand."""
        self._has_page = False
        if not self._is_looking:
            self.stop()

    def wait_to_the_end(self) -> None:
        """Let the page at hand be slow."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_at(self._deadline, self._overdue)

    def give(self, seconds: float) -> None:
        """Let something else than a page be overdue then."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._overdue)

    def stop(self) -> None:
        self._is_looking = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_again(self) -> None:
        self._is_looking = True
        self._timer = asyncio.get_running_loop().call_later(SLOW_SECONDS, self._look)

    def _look(self) -> None:
        self._is_looking, self._timer = False, None
        if not self._has_page:
            return
        if self._cpu_before is None:  # it came since
            self._cpu_before = self._cpu_seconds()
            self._look_again()
        else:
            self._judge(self._cpu_before)

    def _judge(self, cpu_before: float) -> None:
        used = self._cpu_seconds() - cpu_before
        loop = asyncio.get_running_loop()
        if used < SLOW_SECONDS and loop.time() < self._deadline:  # it has to share its core
            self._timer = loop.call_later(max(SLOW_SECONDS - used, LEAST_SECONDS), self._judge, cpu_before)
        else:
            self._timer = None
            self._slow()
