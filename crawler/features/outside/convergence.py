"""When an estimate has settled: the rule of hinterland.until_change. Pure.

An estimate that did not move says something only where pages were fetched that could have moved it. So the history is
cut into *stretches* of at least a round's pages fetched outside, and never fewer than LEAST_PAGES: rounds that fetched
less are joined, and a round that fetched nothing says nothing. The changes of a stretch are added up, which bounds
how far the estimate is from where the stretch began (triangle inequality). Two quiet stretches running settle it.

LEAST_PAGES was chosen on 14 hosts of a real crawl (uci-ics-2020, 25 to 400 pages, budget 1.0, limits 0.01 and 0.03):
on those with less than 100 pages, whose rounds have one to four, the estimate moved by up to 3.0 times the limit
after two quiet rounds, and by up to 0.3 times after two stretches of five pages; ten gained little and took 0.6 of
the budget instead of 0.45.
"""

from __future__ import annotations

LEAST_PAGES = 5
_QUIET_STRETCHES = 2


class ConvergenceCheck:
    """Mutable; told of every estimate made while only pages outside are fetched."""

    def __init__(self, limit: float) -> None:
        """limit: the L1 distance that a quiet stretch stays below; 0: it never settles."""
        self._limit = limit
        self._moved = 0.0
        self._begun_at = 0
        self._quiet_stretches = 0

    @property
    def is_settled(self) -> bool:
        return self._quiet_stretches >= _QUIET_STRETCHES

    def begin(self, outside_pages: int) -> None:
        """Nothing before this estimate counts; so many pages outside went into it."""
        self._quiet_stretches = 0
        self._begin_stretch(outside_pages)

    def moved(self, change: float, outside_pages: int, batch: int) -> None:
        """An estimate of so many pages outside is this far from the last one; batch: the pages of a round."""
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
