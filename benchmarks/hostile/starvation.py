"""How long other programs kept a crawl from the processor: on a busy machine, no host is responsible for that.

A visit goes through the crawl's own thread, its writer, a parser and the server, and waits for each. The kernel counts
the time in which each of them was ready to run and did not (/proc/PID/task/TID/schedstat). The longest of these counts,
as far as programs outside the family used the processors meanwhile. What the family's members take from each other
counts as the crawl's, so on an idle machine the result is 0. Linux only.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.measuring import descendants, threads

_STEP_SECONDS: Final = 0.1
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_IDLE: Final = (3, 4)
"""The numbers in /proc/stat for idle time, and for idle time during I/O."""
_GUEST: Final = 8
"""The numbers from here on are already counted in earlier ones."""


class Starvation:
    """A thread that watches until it is stopped. `seconds`: (when, so long) of each step in which there was some."""

    def __init__(self, crawl: int, others: Sequence[int]) -> None:
        """crawl: the process; others: processes that are of its family without being its children."""
        self.seconds: list[tuple[float, float]] = []
        self._crawl, self._others = crawl, others
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop measuring."""
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        at, (waited, foreign) = time.time(), self._seen()
        while not self._is_over.wait(_STEP_SECONDS):
            before, waited_before, foreign_before = at, waited, foreign
            at, (waited, foreign) = time.time(), self._seen()
            longest = max((seconds - waited_before.get(thread, 0.0) for thread, seconds in waited.items()), default=0.0)
            starved = min(longest, foreign - foreign_before, at - before)
            if starved > 0:
                self.seconds.append((at, starved))

    def _seen(self) -> tuple[dict[Path, float], float]:
        """How long each thread of the family has waited for a processor, and for how long others have had one."""
        family = [self._crawl, *descendants(self._crawl), *self._others]
        waited = {thread: _waited(thread) for each in family for thread in threads(each)}
        return waited, _used_by_all() - sum(map(_used, family))


def _waited(thread: Path) -> float:
    """Seconds in which it could have run and did not."""
    try:
        return int((thread / "schedstat").read_text().split()[1]) / 1e9
    except OSError:  # it is gone
        return 0.0


def _used(process: int) -> float:
    """Return the CPU seconds of a process and of its ended children; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS


def _used_by_all() -> float:
    numbers = [int(word) for word in Path("/proc/stat").read_text().partition("\n")[0].split()[1:]]
    return sum(number for place, number in enumerate(numbers[:_GUEST]) if place not in _IDLE) / _TICKS
