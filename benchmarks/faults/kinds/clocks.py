"""Clocks that are wrong by 400 days, before a resume or while a command runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from benchmarks.faults.cell import Cell
from benchmarks.faults.kinds.fault import Fault

_DAYS: Final = 400
_SECONDS: Final = _DAYS * 86_400.0


def _before(shift: float) -> Callable[[Cell], None]:
    def happen(cell: Cell) -> None:
        """Half the work under a wrong clock, killed twice; the rest under the right one."""
        cell.set_clock(shift)
        job = cell.begin()
        cell.wait_for_middle(job, 0.25)
        cell.kill(job)
        job = cell.go_on()
        cell.wait_for_middle(job, 0.5)
        cell.kill(job)
        cell.set_clock(0.0)
        cell.finish(cell.go_on())

    return happen


def _during(shift: float) -> Callable[[Cell], None]:
    def happen(cell: Cell) -> None:
        """Let the clock jump, kill the crawl, resume it under the wrong clock, and finish under the right one."""
        job = cell.begin()
        cell.wait_for_middle(job, 0.25)
        cell.set_clock(shift)
        cell.wait_for_middle(job, 0.5)
        cell.kill(job)
        job = cell.go_on()
        cell.wait_for_middle(job, 0.75)
        cell.kill(job)
        cell.set_clock(0.0)
        cell.finish(cell.go_on())

    return happen


_PROMISE: Final = "no wait is longer than settings can owe; nothing is missing"
FAULTS: Final = tuple(
    Fault(f"clock {sign}{_DAYS} d {when}", _PROMISE, make(float(f"{sign}{_SECONDS}")))
    for when, make in (("before", _before), ("during", _during))
    for sign in "+-"
)
