"""`pagerank`: waiting pages ordered by PageRank in the known graph (Cho, Garcia-Molina & Page, WWW7 1998)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.warm_start import WarmStart
from hinterland.crawler.frontier.policies.passed_on import PassedOn
from hinterland.crawler.frontier.policies.policy import ORDER_TOLERANCE, FloatArray, IntArray


class PageRankOrder(PassedOn):
    """Orders waiting pages by PageRank in the graph of all known pages, where waiting pages have no links yet."""

    def __init__(self, seed: int) -> None:
        """Begin without ranks; the seed is not used."""
        super().__init__()
        self._ranks = WarmStart(ORDER_TOLERANCE)

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that computes the ranks, starting from the previous ranks."""

        def ranks() -> FloatArray:
            known = crawled.page_count
            return self._ranks.ranks(crawled.links, np.arange(known, dtype=np.int32), known)[waiting]

        return self.remembering(waiting, ranks)
