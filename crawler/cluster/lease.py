"""How long a shard may go on without a word from whoever watches it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from math import inf
from typing import Final

LEASE_SECONDS: Final = 12.0
"""Ray takes 16 seconds to give up a machine, so a shard on one that is cut off has ended before another takes its
place."""
EXIT_LEASE_OVER: Final = 75
"""EX_TEMPFAIL of sysexits.h."""
_LOOK_SECONDS: Final = 0.25


def end_process() -> None:
    """At once: with it its open requests, and all it might still write, are gone. What is in its store is true."""
    os._exit(EXIT_LEASE_OVER)


class Lease:
    """Of one shard. Mutable; of two threads.

    Each question how the shard stands is answered with a number, and the next question says which answer has arrived.
    The lease runs from when that answer was sent. So whoever has asked knows, without comparing clocks, that it is over
    LEASE_SECONDS after the last answer arrived. When it is over, `end` is called, which is not to return. A process
    that was stopped (SIGSTOP) wakes up with a lease that is over: a thread sees to it, and `holds` before each request.
    """

    def __init__(
        self,
        seconds: float = LEASE_SECONDS,
        end: Callable[[], None] = end_process,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.begun = threading.Event()
        """Set once there is a lease."""
        self._seconds = seconds
        self._end = end
        self._now = now
        self._until = inf
        self._answers = 0
        self._sent = dict[int, float]()
        self._is_over = False
        threading.Thread(target=self._watch, daemon=True, name="lease").start()

    def asked(self, arrived: int) -> int:
        """The number of the next answer. arrived: that of the last one that arrived, 0 for none."""
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
        """Returns if it does."""
        if not self._is_over and self._now() >= self._until:
            self._end()

    def give_up(self) -> None:
        """Nothing is under way any more."""
        self._is_over = True

    def _watch(self) -> None:
        while not self._is_over:
            self.holds()
            time.sleep(_LOOK_SECONDS)
