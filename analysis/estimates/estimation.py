"""The estimate of a crawl as it goes on: how far it moved, and how far the estimators are apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimate_error import EstimateError, EstimateHistory, PastEstimate
from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR, ESTIMATORS
from hinterland.analysis.graph import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Estimate:
    """What the whole web would say of the crawled local pages, `pages`, ascending, shape (n,).

    by_estimator: the PageRank of these pages by every estimator, shape (n,) each, summing to 1. estimator: the one
    that counts. change: its L1 distance from the estimate before, None for the first. disagreement: the L1 distance
    of the estimator farthest from it, None if there is no other. error: how far it probably is from the truth; None
    where nobody knows.
    """

    pages: IntArray
    estimator: str
    by_estimator: dict[str, FloatArray]
    change: float | None
    disagreement: float | None
    error: EstimateError | None = None

    @property
    def ranks(self) -> FloatArray:
        return self.by_estimator[self.estimator]


class Estimation:
    """Mutable: estimators begin from their last result. Not for two threads at a time."""

    def __init__(
        self,
        name: str = "",
        last: tuple[IntArray, FloatArray] | None = None,
        *,
        past: Iterable[PastEstimate] = (),
        is_sparing: bool = False,
    ) -> None:
        """name: of ESTIMATORS, the default if empty. last: pages and ranks of an earlier estimate by it; past: the
        earlier ones that still tell of its error (`estimate_error.informative_refreshes`), not asked for before the
        first estimate is there. is_sparing: nothing that one estimator
        derives of a graph is kept for the next or for whoever looks at it then.

        Raises KeyError for an unknown name.
        """
        self.name = name or DEFAULT_ESTIMATOR
        self._estimators = {self.name: ESTIMATORS[self.name]()}
        self._estimators |= {each: make() for each, make in ESTIMATORS.items() if each != self.name}
        self._last = last
        self._past = past
        self._is_sparing = is_sparing

    @cached_property
    def _history(self) -> EstimateHistory:
        return EstimateHistory(self._past)

    def estimate(self, crawled: CrawledGraph, outside_pages: int) -> Estimate:
        """outside_pages: how many were fetched by then; what else is crawled there are redirects."""
        by_estimator = {}
        for name, estimator in self._estimators.items():
            by_estimator[name] = estimator.estimate(crawled.afresh() if self._is_sparing else crawled)
        ranks = by_estimator[self.name]
        change = None if self._last is None else l1_change(*self._last, crawled.local, ranks)
        self._last = crawled.local, ranks
        others = [float(np.abs(ranks - other).sum()) for name, other in by_estimator.items() if name != self.name]
        error = self._error(outside_pages, crawled.local, ranks)
        return Estimate(crawled.local, self.name, by_estimator, change, max(others, default=None), error)

    def _error(self, outside_pages: int, pages: IntArray, ranks: FloatArray) -> EstimateError | None:
        if self.name != DEFAULT_ESTIMATOR:
            return None  # how such an estimate errs was learnt of this one alone
        error = self._history.error(outside_pages, pages, ranks)
        self._history.add(PastEstimate(outside_pages, pages, ranks))
        return error


def l1_change(pages: IntArray, ranks: FloatArray, new_pages: IntArray, new_ranks: FloatArray) -> float:
    """Σ |new - old| over the pages of either; a page that one of them lacks has rank 0 there."""
    size = max((int(each.max()) + 1 for each in (pages, new_pages) if len(each)), default=0)
    difference = np.zeros(size)
    difference[new_pages] = new_ranks
    difference[pages] -= ranks
    return float(np.abs(difference).sum())
