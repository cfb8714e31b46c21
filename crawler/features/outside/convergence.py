"""Decides when an estimate has converged: the rule of hinterland.until_change. Pure.

An unchanged estimate is evidence only if pages were fetched that could have changed it. The rounds are therefore
joined into *stretches*: in each stretch, at least as many outside pages were fetched as one round should fetch, and at
least LEAST_PAGES. A round that fetched nothing does not count. The sum of the changes in a
stretch bounds how far the estimate has moved since the stretch began (triangle inequality). The stretch is quiet if
this sum is below the limit. After two consecutive quiet stretches the estimate counts as converged.

LEAST_PAGES was chosen on 14 hosts of a real crawl (uci-ics-2020, 25 to 400 pages, budget 1.0, limits 0.01 and 0.03).
On hosts with less than 100 pages, whose rounds have one to four pages, the estimate still moved by up to 3.0 times the
limit after two quiet rounds. After two quiet stretches of five pages, it moved by at most 0.3 times the limit.
Stretches of ten pages gained little, and used 0.6 of the budget instead of 0.45.
"""

from __future__ import annotations

LEAST_PAGES = 5
_QUIET_STRETCHES = 2


class ConvergenceCheck:
    """Follows the estimates that are made while only pages outside the domain are fetched. Mutable."""

    def __init__(self, limit: float) -> None:
        """Start without estimates; `limit` is the L1 distance below which a stretch is quiet, 0 for never."""
        self._limit = limit
        self._moved = 0.0
        self._begun_at = 0
        self._quiet_stretches = 0

    @property
    def is_settled(self) -> bool:
        """Whether the estimate has converged."""
        return self._quiet_stretches >= _QUIET_STRETCHES

    def begin(self, outside_pages: int) -> None:
        """Start over from an estimate that was based on `outside_pages` outside pages."""
        self._quiet_stretches = 0
        self._begin_stretch(outside_pages)

    def moved(self, change: float, outside_pages: int, batch: int) -> None:
        """Add an estimate with the L1 distance `change` from the previous estimate.

        The new estimate was based on `outside_pages` outside pages. `batch` is the number of pages that a round should
        fetch.
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
