"""`dfs`: the pages found last first; those of one page in the order of its links."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.crawled_graph import CrawledGraph
from crawler.policies.policy import FloatArray, IntArray


class DepthFirst:
    uses_links = False
    needs_refresh = False

    def __init__(self, seed: int) -> None:
        self._discoveries = 0

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        self._discoveries += 1
        return np.full(len(pages), float(self._discoveries))

    def fetched(self, page: int, outlinks: IntArray) -> None:
        pass

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        raise RuntimeError("the urgency of a page never changes in depth-first order")
