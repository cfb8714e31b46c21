"""Estimates of the global PageRank of a local domain: how the whole web would rank it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from hinterland.analysis.chunked import gathered, places_where
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.graph import FloatArray
from hinterland.analysis.pagerank import pagerank
from hinterland.analysis.warm_start import WarmStart

TOLERANCE = 1e-9
"""Bound of the L1 error of the PageRank behind an estimate."""

MODEL_TOLERANCE = 1e-6
"""Bound of the L1 error that stopping the iteration causes. The actual error is usually about a tenth of it."""


class Estimator(Protocol):
    """Estimates the ranks repeatedly during a crawl; it may keep its last result as a starting point."""

    def estimate(self, crawled: CrawledGraph) -> FloatArray:
        """Return the estimated global PageRank of crawled.local, in that order, shape (n,), scaled to sum to 1."""
        ...


class CrawledGraphEstimator:
    """PageRank of the crawled pages alone, restricted to the local pages (Davis & Dhillon, KDD 2006)."""

    def __init__(self) -> None:
        """Start without an earlier result."""
        self._last = WarmStart(TOLERANCE)

    def estimate(self, crawled: CrawledGraph) -> FloatArray:
        """Return the ranks; see Estimator."""
        ranks, zeros = self.ranks(crawled), crawled.links.zeros
        is_local = gathered(crawled.is_local, crawled.crawled, zeros)
        places = places_where(len(ranks), lambda part: is_local[part], zeros)
        return _shares(gathered(ranks, places, zeros))

    def ranks(self, crawled: CrawledGraph) -> FloatArray:
        """Return the PageRank of crawled.inner, shape (ℓ,)."""
        return self._last.ranks(crawled.inner, crawled.crawled, crawled.page_count)


class OutsideModelEstimator:
    """PageRank of all known pages, where frontier pages are assumed to link like similar crawled pages.

    See `outside_model`.
    """

    def __init__(self) -> None:
        """Start without an earlier result."""
        self._ranks: FloatArray | None = None

    @property
    def known_ranks(self) -> FloatArray:
        """The PageRank of all pages known at the last estimate, shape (k,), sum 1; empty before the first estimate."""
        return np.empty(0) if self._ranks is None else self._ranks

    def estimate(self, crawled: CrawledGraph) -> FloatArray:
        """Return the ranks; see Estimator."""
        self._ranks = outside_model(crawled, start=self._ranks, tolerance=MODEL_TOLERANCE).ranks
        return _shares(gathered(self._ranks, crawled.local, crawled.links.zeros))


def _shares(ranks: FloatArray) -> FloatArray:
    """Scale the ranks in place so that they sum to 1."""
    if len(ranks):
        ranks /= ranks.sum()
    return ranks


def local_ranks(crawled: CrawledGraph) -> FloatArray:
    """Return the PageRank of the local pages by links among them alone, shape (n,), in the order of crawled.local."""
    return pagerank(crawled.links.among(crawled.local), tolerance=TOLERANCE)


ESTIMATORS: dict[str, Callable[[], Estimator]] = {
    "outside-model": OutsideModelEstimator,
    "crawled-graph": CrawledGraphEstimator,
}
"""The estimators by name, as functions that create them."""

DEFAULT_ESTIMATOR = "outside-model"
