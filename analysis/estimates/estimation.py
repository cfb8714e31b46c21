"""The estimate of a crawl as it goes on: how far it moved, and how far the estimators differ."""

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
    """How the whole web would rank the crawled local pages, `pages`, ascending, shape (n,).

    `by_estimator` is the PageRank of these pages by every estimator, shape (n,) each, summing to 1. `estimator` is the
    one that counts. `change` is its L1 distance from the previous estimate, None for the first. `disagreement` is its
    L1 distance from the estimator farthest from it, None if there is no other. `error` is its probable distance from
    the truth; None if unknown.
    """

    pages: IntArray
    estimator: str
    by_estimator: dict[str, FloatArray]
    change: float | None
    disagreement: float | None
    error: EstimateError | None = None

    @property
    def ranks(self) -> FloatArray:
        """The ranks by the estimator that counts."""
        return self.by_estimator[self.estimator]


class Estimation:
    """Repeated estimates of a growing crawl. Mutable, not thread-safe; estimators start from their last result."""

    def __init__(
        self,
        name: str = "",
        last: tuple[IntArray, FloatArray] | None = None,
        *,
        past: Iterable[PastEstimate] = (),
        is_sparing: bool = False,
    ) -> None:
        """Take the name of the estimator that counts, the default if empty, and earlier results.

        `last` are pages and ranks of its last estimate. `past` are earlier ones that still tell about its error
        (`estimate_error.informative_refreshes`); they are not read before the first new estimate exists. With
        `is_sparing`, nothing that one estimator derives from a graph is kept for the next one or for other users of the
        graph.

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
        """Return the estimate.

        `outside_pages` external pages were fetched; all other crawled external pages are redirects.
        """
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
            return None  # the constants of the error were learnt for the default estimator only
        error = self._history.error(outside_pages, pages, ranks)
        self._history.add(PastEstimate(outside_pages, pages, ranks))
        return error


def l1_change(pages: IntArray, ranks: FloatArray, new_pages: IntArray, new_ranks: FloatArray) -> float:
    """Return Σ |new - old| over the pages of either; a page missing on one side has rank 0 there."""
    size = max((int(each.max()) + 1 for each in (pages, new_pages) if len(each)), default=0)
    difference = np.zeros(size)
    difference[new_pages] = new_ranks
    difference[pages] -= ranks
    return float(np.abs(difference).sum())
