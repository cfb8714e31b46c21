"""Policies that derive the urgency of a waiting page from the PageRank of crawled pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.warm_start import WarmStart
from hinterland.crawler.frontier.policies.passed_on import PassedOn
from hinterland.crawler.frontier.policies.policy import ORDER_TOLERANCE, FloatArray, IntArray


class RankedOrder(PassedOn, ABC):
    """A policy that ranks the crawled pages; a subclass adds `scores`."""

    def __init__(self, seed: int) -> None:
        """Begin without ranks; `seed` is not used."""
        super().__init__()
        self._ranks = WarmStart(ORDER_TOLERANCE)

    @abstractmethod
    def scores(self, crawled: CrawledGraph, ranks: FloatArray, waiting: IntArray) -> FloatArray:
        """Return the urgencies of the waiting pages, shape (k,). Called in another thread.

        `ranks` is the PageRank of crawled.inner, shape (ℓ,).
        """

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that computes the ranks, starting from the previous ranks, and then the urgencies."""

        def scores() -> FloatArray:
            ranks = self._ranks.ranks(crawled.inner, crawled.crawled, crawled.page_count)
            return self.scores(crawled, ranks, waiting)

        return self.remembering(waiting, scores)
