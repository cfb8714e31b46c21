"""Decides when an estimate has converged: the rule of hinterland.until_change. Pure.

An unchanged estimate means something only if pages were fetched that could have changed it. So the history is cut into
*stretches* of at least one round's pages fetched outside, and never fewer than LEAST_PAGES: rounds that fetched less
are joined, and a round that fetched nothing does not count. The changes of a stretch are added up, which bounds how far
the estimate is from where the stretch began (triangle inequality). Two consecutive quiet stretches mean convergence.

LEAST_PAGES was chosen on 14 hosts of a real crawl (uci-ics-2020, 25 to 400 pages, budget 1.0, limits 0.01 and 0.03): on
those with less than 100 pages, whose rounds have one to four, the estimate moved by up to 3.0 times the limit after two
quiet rounds, and by up to 0.3 times after two stretches of five pages; ten gained little and took 0.6 of the budget
instead of 0.45.
"""

from __future__ import annotations

LEAST_PAGES = 5
_QUIET_STRETCHES = 2


class ConvergenceCheck:
    """Follows the estimates made while only pages outside are fetched. Mutable."""

    def __init__(self, limit: float) -> None:
        """Start without estimates; `limit` is the L1 distance a quiet stretch stays below, 0 for never."""
        self._limit = limit
        self._moved = 0.0
        self._begun_at = 0
        self._quiet_stretches = 0

    @property
    def is_settled(self) -> bool:
        """Whether the estimate has converged."""
        return self._quiet_stretches >= _QUIET_STRETCHES

    def begin(self, outside_pages: int) -> None:
        """Start over from an estimate that `outside_pages` pages outside went into."""
        self._quiet_stretches = 0
        self._begin_stretch(outside_pages)

    def moved(self, change: float, outside_pages: int, batch: int) -> None:
        """Add an estimate made of `outside_pages` pages outside, which is `change` (L1) away from the one before.

        `batch` is the number of pages of a round.
        """
        if not self._limit or self.is_settled:
            return
        self._moved += change
        if self._moved >= self._limit:
            self.begin(outside_pages)
        elif outside_pages - self._begun_at >= max(batch, LEAST_PAGES):
            self._quiet_stretches += 1
            self._begin_stretch(outside_pages)

    def _begin_stretch(self, outside_pages: int) -> None:
        self._moved, self._begun_at = 0.0, outside_pages
