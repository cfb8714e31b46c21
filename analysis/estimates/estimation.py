"""Estimates the ranks repeatedly during a crawl, and measures how far they move and how far estimators differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.crawl_signs import crawl_signs
from hinterland.analysis.estimates.estimate_error import EstimateError, EstimateHistory, PastEstimate
from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR, ESTIMATORS, OutsideModelEstimator
from hinterland.analysis.graph import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Estimate:
    """The estimated global PageRank of the crawled local pages, `pages`, ascending, shape (n,).

    `by_estimator` maps each estimator to its ranks of these pages, shape (n,), sum 1. `estimator` names the estimator
    whose result is used. `change` is the L1 distance of its result from the previous one, None for the first.
    `disagreement` is the largest L1 distance between its result and that of another estimator, None if there is no
    other. `error` is its probable distance from the truth; None if unknown.
    """

    pages: IntArray
    estimator: str
    by_estimator: dict[str, FloatArray]
    change: float | None
    disagreement: float | None
    error: EstimateError | None = None

    @property
    def ranks(self) -> FloatArray:
        """The ranks by the estimator whose result is used, shape (n,)."""
        return self.by_estimator[self.estimator]


class Estimation:
    """Estimates the ranks of a growing crawl again and again. Mutable, not thread-safe.

    Each estimator starts from its own last result.
    """

    def __init__(
        self,
        name: str = "",
        last: tuple[IntArray, FloatArray] | None = None,
        *,
        past: Iterable[PastEstimate] = (),
        is_sparing: bool = False,
    ) -> None:
        """Take the name of the estimator whose result is used (the default if empty), and earlier results.

        `last` holds the pages and ranks of its last estimate. `past` holds earlier estimates, from which its error is
        predicted (`estimate_error.informative_refreshes`); they are not read before the first new estimate exists. If
        `is_sparing`, the values that an estimator derives from a graph are dropped before the next estimator runs. This
        saves memory.

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
        """Return the estimate for the current state of the crawl.

        `outside_pages` is how many external pages were fetched; all other crawled external pages are redirects.
        """
        by_estimator = {}
        for name, estimator in self._estimators.items():
            by_estimator[name] = estimator.estimate(crawled.afresh() if self._is_sparing else crawled)
        ranks = by_estimator[self.name]
        change = None if self._last is None else l1_change(*self._last, crawled.local, ranks)
        self._last = crawled.local, ranks
        others = [float(np.abs(ranks - other).sum()) for name, other in by_estimator.items() if name != self.name]
        error = self._error(crawled, outside_pages, ranks)
        return Estimate(crawled.local, self.name, by_estimator, change, max(others, default=None), error)

    def _error(self, crawled: CrawledGraph, outside_pages: int, ranks: FloatArray) -> EstimateError | None:
        estimator = self._estimators[self.name]
        if not isinstance(estimator, OutsideModelEstimator):
            return None  # the constants of the error were learnt for this estimator only
        signs = crawl_signs(crawled.afresh() if self._is_sparing else crawled, estimator.known_ranks)
        error = self._history.error(outside_pages, crawled.local, ranks, signs)
        self._history.add(PastEstimate(outside_pages, crawled.local, ranks))
        return error


def l1_change(pages: IntArray, ranks: FloatArray, new_pages: IntArray, new_ranks: FloatArray) -> float:
    """Return Σ |new - old| over all pages; a page that is missing on one side has rank 0 there."""
    size = max((int(each.max()) + 1 for each in (pages, new_pages) if len(each)), default=0)
    difference = np.zeros(size)
    difference[new_pages] = new_ranks
    difference[pages] -= ranks
    return float(np.abs(difference).sum())
