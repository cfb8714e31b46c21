"""The time of a crawl: epoch seconds that never go back, even when somebody sets the clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class SteadyClock:
    """Reads the wall clock once and the monotonic clock from then on.

    speed: seconds that pass here in one of the monotonic clock, so that a test or an experiment need not wait for days.
    begins: epoch seconds, instead of now.
    """

    def __init__(self, speed: float = 1.0, begins: float | None = None) -> None:
        self.speed = speed
        self._began = time.monotonic()
        self._begins = time.time() if begins is None else begins

    def __call__(self) -> float:
        return self._begins + (time.monotonic() - self._began) * self.speed

    def call_at(self, when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """In the event loop that runs, when this clock shows that time, or now."""
        return asyncio.get_running_loop().call_later(max(when - self(), 0.0) / self.speed, callback)
