"""`indegree`: pages that most fetched pages link to first (backlink count of Cho, Garcia-Molina & Page 1998)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class Indegree:
    uses_links = False
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        pass

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        return np.ones(len(pages))  # the link that led there

    def fetched(self, page: int, outlinks: IntArray) -> None:
        pass

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        pass

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        return lambda: crawled.indegrees[waiting].astype(np.float64)
