"""`indegree`: pages that the most fetched pages link to come first.

The backlink count of Cho, Garcia-Molina & Page, WWW7 1998.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class Indegree:
    """Orders waiting pages by the number of links to them."""

    uses_links = False
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        """Ignore the seed, because nothing is drawn at random."""

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return 1 for each page, shape (k,), for the link through which it was found."""
        return np.ones(len(pages))  # the link that led there

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """Do nothing: links are counted by the refresh."""

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Do nothing: links are counted by the refresh."""

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that counts the links to each waiting page."""
        return lambda: crawled.indegrees[waiting].astype(np.float64)
