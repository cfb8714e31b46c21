"""`flow`: pages first that receive most PageRank flow from the crawled ones (PF-Select, Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from collections.abc import Callable

from analysis.crawled_graph import CrawledGraph
from analysis.flow import frontier_flow
from analysis.warm_start import WarmStart
from crawler.policies.passed_on import PassedOn
from crawler.policies.policy import ORDER_TOLERANCE, FloatArray, IntArray


class FlowOrder(PassedOn):
    uses_links = False
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._ranks = WarmStart(ORDER_TOLERANCE)

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        def flows() -> FloatArray:
            ranks = self._ranks.ranks(crawled.inner, crawled.crawled, crawled.page_count)
            return frontier_flow(crawled, ranks, waiting)

        return self.remembering(waiting, flows)
