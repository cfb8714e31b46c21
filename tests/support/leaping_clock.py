"""A clock for crawls that go on for years: it leaps over the time in which nothing happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Final

from hinterland.crawler.loop.crawl import Crawl

_PAUSE: Final = 0.0005
"""Seconds of this machine between two looks at whether anything happens."""
_LONGEST_STEP: Final = 0.05
"""Seconds from one reading to the next. A machine that stood still for longer would let happen together what is due
one after the other."""


class Leap:
    """What is to be called at a time of a LeapingClock."""

    def __init__(self, when: float, callback: Callable[[], None]) -> None:
        self.when = when
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class LeapingClock:
    """As fast as the machine's while a visit is under way, so that what a visit takes does not depend on how far the
    others are apart; while none is, it leaps from timer to timer. `watch` has to run alongside the crawl.

    So years of looks take as long as the looks themselves, and a busy machine changes nothing of when they are made:
    while it stands still, so does the clock.
    """

    speed = inf

    def __init__(self, begins: float, machine: Callable[[], float] = time.monotonic) -> None:
        """begins: epoch seconds. machine: its clock."""
        self._machine = machine
        self._shown = begins
        self._read_at = machine()
        self._timers: list[tuple[float, int, Leap]] = []
        self._numbers = count()

    def __call__(self) -> float:
        now = self._machine()
        self._shown += min(now - self._read_at, _LONGEST_STEP)
        self._read_at = now
        return self._shown

    def call_at(self, when: float, callback: Callable[[], None]) -> Leap:
        leap = Leap(when, callback)
        heappush(self._timers, (when, next(self._numbers), leap))
        return leap

    async def watch(self, crawl: Crawl) -> None:
        """Leap while the crawl is idle, until cancelled."""
        while True:
            self._call_what_is_due()
            await asyncio.sleep(_PAUSE)
            if crawl.is_idle and self._timers:
                self._shown = max(self._timers[0][0], self())

    def _call_what_is_due(self) -> None:
        while self._timers and self._timers[0][0] <= self():
            callback = heappop(self._timers)[2].callback
            if callback is not None:
                callback()
