"""`random`: every waiting page is equally likely to be next; the same seed gives the same order."""

from __future__ import annotations

from collections.abc import Callable

from analysis.crawled_graph import CrawledGraph
from analysis.permanent_random import permanent_random_numbers
from crawler.policies.policy import FloatArray, IntArray


class UniformRandom:
    """The urgency is a hash of page number and seed, so it survives a restart without being stored."""

    uses_links = False
    needs_refresh = False

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        return permanent_random_numbers(pages, self._seed)

    def fetched(self, page: int, outlinks: IntArray) -> None:
        pass

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        raise RuntimeError("the urgency of a page never changes in random order")
