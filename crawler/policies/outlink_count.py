"""`outlink-count`: pages that the most local pages link to come first (OutlinkCount, Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.local_inlinks import local_inlink_counts
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class OutlinkCount:
    """Orders waiting pages by the number of links from local pages."""

    uses_links = False
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        """Begin with no local page; the seed is not used."""
        self._is_local = np.empty(0, np.bool_)  # as of the last refresh
        self._first_count = 1.0

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return 1 for pages found on a local page and 0 for others, shape (k,)."""
        return np.full(len(pages), self._first_count)

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """Note whether the page is local; a page found since the last refresh is assumed to be local."""
        self._first_count = float(page >= len(self._is_local) or self._is_local[page])

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Do nothing: links are counted by the refresh."""

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that counts the links from local pages to each waiting page."""
        self._is_local = crawled.is_local
        return lambda: local_inlink_counts(crawled)[waiting].astype(np.float64)
