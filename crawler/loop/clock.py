"""The time of a crawl: epoch seconds that never go back, even if the system clock is set back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class SteadyClock:
    """A clock that reads the wall clock once, when created, and then follows the monotonic clock."""

    def __init__(self, speed: float = 1.0, begins: float | None = None) -> None:
        """Start the clock at `begins`, in epoch seconds; None means the present time.

        `speed` is how many seconds pass on this clock per second of the monotonic clock. Tests and experiments set it
        above 1, so that they need not wait for days.
        """
        self.speed = speed
        self._began = time.monotonic()
        self._begins = time.time() if begins is None else begins

    def __call__(self) -> float:
        """Return the time in epoch seconds."""
        return self._begins + (time.monotonic() - self._began) * self.speed

    def call_at(self, when: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call `callback` in the running event loop when this clock shows `when`, or soon if that time has passed."""
        return asyncio.get_running_loop().call_later(max(when - self(), 0.0) / self.speed, callback)
