"""`pagerank`: the frontier by PageRank of the known graph (Cho, Garcia-Molina & Page, WWW7 1998)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.warm_start import WarmStart
from hinterland.crawler.frontier.policies.passed_on import PassedOn
from hinterland.crawler.frontier.policies.policy import ORDER_TOLERANCE, FloatArray, IntArray


class PageRankOrder(PassedOn):
    """The known graph is all crawled pages and the frontier, whose pages lead nowhere yet."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._ranks = WarmStart(ORDER_TOLERANCE)

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        def ranks() -> FloatArray:
            known = crawled.page_count
            return self._ranks.ranks(crawled.links, np.arange(known, dtype=np.int32), known)[waiting]

        return self.remembering(waiting, ranks)
