"""`flow`: pages to which crawled pages pass the most PageRank come first (PF-Select, Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.flow import frontier_flow
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray
from hinterland.crawler.frontier.policies.ranked_order import RankedOrder


class FlowOrder(RankedOrder):
    """Orders waiting pages by the PageRank that flows to them."""

    def scores(self, crawled: CrawledGraph, ranks: FloatArray, waiting: IntArray) -> FloatArray:
        """Return the PageRank flow to each waiting page, shape (k,)."""
        return frontier_flow(crawled, ranks, waiting)
