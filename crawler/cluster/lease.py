"""The lease of a shard: how long it may continue without hearing from the driver."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from math import inf
from typing import Final

LEASE_SECONDS: Final = 12.0
"""Duration of a lease. Ray takes 16 seconds to give up a machine, so a shard on a machine that is cut off has ended
before its replacement starts."""
EXIT_LEASE_OVER: Final = 75
"""The exit code of a shard whose lease is over: EX_TEMPFAIL of sysexits.h."""
_LOOK_SECONDS: Final = 0.25


def end_process() -> None:
    """End this process immediately, dropping open requests and unwritten results. Its store remains valid."""
    os._exit(EXIT_LEASE_OVER)


class Lease:
    """The lease of one shard. Mutable; used by two threads.

    Each answer to a status request has a number, and the next request says which answer was the last to arrive. The
    lease lasts LEASE_SECONDS from the time when that answer was sent. So the driver knows, without comparing clocks,
    that the lease is over LEASE_SECONDS after the last answer arrived. When it is over, `end` is called, which must not
    return. A process that was suspended (SIGSTOP) may wake up with its lease over: a thread watches for that, and
    `holds` is called before each request.
    """

    def __init__(
        self,
        seconds: float = LEASE_SECONDS,
        end: Callable[[], None] = end_process,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start without a lease, and start the thread that watches it.

        `seconds` is the duration of a lease, as measured by the clock `now`. `end` is called when it is over.
        """
        self.begun = threading.Event()
        """Set once the first lease has begun."""
        self._seconds = seconds
        self._end = end
        self._now = now
        self._until = inf
        self._answers = 0
        self._sent = dict[int, float]()
        self._is_over = False
        threading.Thread(target=self._watch, daemon=True, name="lease").start()

    def asked(self, arrived: int) -> int:
        """Renew the lease because of a status request, and return the number for the answer to it.

        `arrived` is the number of the last answer that reached the driver, 0 for none.
        """
        self.holds()
        sent = self._sent.get(arrived)
        if sent is not None:
            self._until = sent + self._seconds
            self._sent = {number: at for number, at in self._sent.items() if number > arrived}
            self.begun.set()
        self._answers += 1
        self._sent[self._answers] = self._now()
        return self._answers

    def holds(self) -> None:
        """End the process if the lease is over; otherwise return."""
        if not self._is_over and self._now() >= self._until:
            self._end()

    def give_up(self) -> None:
        """Stop watching the lease, because no request is under way any more."""
        self._is_over = True

    def _watch(self) -> None:
        while not self._is_over:
            self.holds()
            time.sleep(_LOOK_SECONDS)
