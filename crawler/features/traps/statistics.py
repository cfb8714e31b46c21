"""What those who look at a crawl are told of endless spaces: a plain value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrapStatistics:
    """shapes: slowed down now. in_vain: visits to them meanwhile that brought nothing new. left_waiting: pages of those
    that have used up traps.patience.
    """

    shapes: int
    in_vain: int
    left_waiting: int
