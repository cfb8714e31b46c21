"""Statistics about traps, for displays: a plain value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrapStatistics:
    """Counts of trap detection.

    `shapes` are slowed down now. `in_vain` counts their visits that brought nothing new meanwhile. `left_waiting`
    counts the pages of shapes that have used up traps.patience.
    """

    shapes: int
    in_vain: int
    left_waiting: int
