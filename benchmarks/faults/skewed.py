"""Starts Hinterland under a clock that is wrong, or that runs faster: `python -m benchmarks.faults.skewed CLOCK ...`.

CLOCK is the JSON of a Skew; what follows is the command line of run.py. Only the process that crawls lives by this
clock: whatever it waits for, on its event loop or by comparing times, it waits `speed` times less. So an outage of
30 minutes takes one minute at speed 30, under the shipped settings: timeouts, back-offs, retries and patience are
all shortened alike, and the work itself seems to take longer.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVarTuple, Unpack
from unittest.mock import patch

Ts = TypeVarTuple("Ts")


@dataclass(frozen=True, slots=True)
class Skew:
    """A clock that is wrong.

    `epoch` is the time at which it was right, in seconds of the true clock. `shift` names a file with seconds to add,
    which may change at any time; there is no shift if it does not exist.
    """

    epoch: float
    speed: float = 1.0
    shift: str = ""

    def at(self, true: float) -> float:
        """Return what this clock shows when the true one shows `true`."""
        return self.epoch + (true - self.epoch) * self.speed + self._shift()

    def _shift(self) -> float:
        try:
            return float(Path(self.shift).read_text()) if self.shift else 0.0
        except (FileNotFoundError, ValueError):  # ValueError: it is being written
            return 0.0


def install(skew: Skew) -> None:
    """Let this process live by the clock from now on. Before anything else reads a clock."""
    true_time, true_monotonic, true_counter = time.time, time.monotonic, time.perf_counter
    time.time = lambda: skew.at(true_time())
    time.monotonic = lambda: true_monotonic() * skew.speed
    time.perf_counter = lambda: true_counter() * skew.speed

    from hinterland.crawler.fetching.client import event_loop  # not before the clocks above are set

    class SkewedLoop(event_loop.CrawlLoop):
        def time(self) -> float:
            return super().time() * skew.speed

        def call_later(
            self, delay: float, action: Callable[[Unpack[Ts]], object], *arguments: *Ts, context: Context | None = None
        ) -> Any:
            return super().call_later(delay / skew.speed, action, *arguments, context=context)

    patch.object(event_loop, "CrawlLoop", SkewedLoop).start()  # where the commands take their loop from


def main() -> int:
    """Run a command of Hinterland under the skewed clock."""
    skew = Skew(**json.loads(sys.argv[1]))
    install(skew)
    from hinterland.cli import main as hinterland
    from hinterland.crawler.parsing.pool import parser_process

    # A faster clock does not make processes start faster.
    parser_process._START_SECONDS *= skew.speed
    return hinterland(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
