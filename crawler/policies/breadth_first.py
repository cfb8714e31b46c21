"""`bfs`: pages nearest to the seeds first, in the order of discovery (Najork & Wiener 2001)."""

from __future__ import annotations

from collections.abc import Callable

from analysis.crawled_graph import CrawledGraph
from crawler.policies.policy import FloatArray, IntArray


class BreadthFirst:
    uses_links = False
    needs_refresh = False

    def __init__(self, seed: int) -> None:
        pass

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        return -depths.astype(float)

    def fetched(self, page: int, outlinks: IntArray) -> None:
        pass

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        raise RuntimeError("the urgency of a page never changes in breadth-first order")
