"""`outlink-count`: pages first that most local pages link to (OutlinkCount of Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.local_inlinks import local_inlink_counts
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class OutlinkCount:
    uses_links = False
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        self._is_local = np.empty(0, np.bool_)  # as of the last refresh
        self._first_count = 1.0

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        return np.full(len(pages), self._first_count)

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """A page found since the last refresh is taken for local: until then nothing tells what it is."""
        self._first_count = float(page >= len(self._is_local) or self._is_local[page])

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        pass

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        self._is_local = crawled.is_local
        return lambda: local_inlink_counts(crawled)[waiting].astype(np.float64)
