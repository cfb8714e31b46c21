"""The deadline of a request, extended by delays of the local event loop."""

from __future__ import annotations

import asyncio
from math import inf
from types import TracebackType
from typing import Final

_TICK_SECONDS: Final = 0.05  # twenty times a second costs a ten-thousandth of a core, and misses little
_NOTICEABLE_SECONDS: Final = 0.02


class LoopDelays:
    """Measures for how long in total the event loop has been blocked since `start`, by how late a timer fires."""

    def __init__(self) -> None:
        """Start with no delay measured."""
        self.seconds = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to measure; call it in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._arm()

    def stop(self) -> None:
        """Stop measuring."""
        if self._timer is not None:
            self._timer.cancel()

    def _arm(self) -> None:
        self._due = self._loop.time() + _TICK_SECONDS
        self._timer = self._loop.call_later(_TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        late = self._loop.time() - self._due
        if late > _NOTICEABLE_SECONDS:
            self.seconds += late
        self._arm()


class Deadline:
    """Async context manager that raises TimeoutError in its block once the time set by `allow` is over.

    Time in which the event loop was blocked does not count, because the answer may have arrived in the socket
    meanwhile. If the deadline's own timer fires late, the block gets extra time once: as much as the timer was late.
    """

    __slots__ = ("_delays", "_due", "_fires_at", "_had_last_turn", "_loop", "_lost_before", "_timeout", "_timer")

    def __init__(self, delays: LoopDelays) -> None:
        """Start without a limit; `delays` measures the delays of the loop."""
        self._delays = delays
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None
        self._fires_at = inf
        self._due = inf
        self._lost_before = 0.0
        self._had_last_turn = False

    async def __aenter__(self) -> None:
        """Begin the block."""
        await self._timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the block. Raises TimeoutError if the time is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await self._timeout.__aexit__(kind, error, traceback)

    def allow(self, seconds: float) -> None:
        """Set the deadline to this many seconds from now; any earlier deadline is replaced."""
        self.allow_until(self._loop.time() + seconds)

    def allow_until(self, due: float) -> None:
        """Set the deadline to this time of the event loop's clock.

        If that time has already passed and extra time was already granted, the deadline is not set: otherwise a body
        that arrives byte by byte would gain extra time with each byte.
        """
        self._due = due
        self._lost_before = self._delays.seconds
        now = self._loop.time()
        if due > now:
            self._had_last_turn = False
        elif self._had_last_turn:
            return
        if due < self._fires_at:
            # A timer that fires too soon is set again when it fires, which is cheaper than replacing it at each call.
            self._arm(max(due, now))

    def suspend(self) -> None:
        """Stop the clock until the next `allow`."""
        self._due = inf

    def _arm(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._fires_at = when
        self._timer = self._loop.call_at(when, self._fire)

    def _fire(self) -> None:
        now = self._loop.time()
        late = now - self._fires_at
        self._timer, self._fires_at = None, inf
        due = self._due + self._delays.seconds - self._lost_before
        if due > now:
            if due < inf:
                self._arm(due)
        elif late > _NOTICEABLE_SECONDS and not self._had_last_turn:
            self._had_last_turn = True
            self._arm(now + late)
        else:
            self._timeout.reschedule(now)
