"""The statistics of trap detection, as a plain value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrapStatistics:
    """Counts of trap detection.

    `shapes` counts the shapes that are slowed down now. `in_vain` counts the visits to these shapes, while they were
    slowed down, that brought nothing new. `left_waiting` counts the pages of shapes that have used up traps.patience.
    """

    shapes: int
    in_vain: int
    left_waiting: int
