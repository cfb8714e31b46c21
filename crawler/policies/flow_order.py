"""`flow`: pages first that receive most PageRank flow from the crawled ones (PF-Select, Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.flow import frontier_flow
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray
from hinterland.crawler.frontier.policies.ranked_order import RankedOrder


class FlowOrder(RankedOrder):
    def scores(self, crawled: CrawledGraph, ranks: FloatArray, waiting: IntArray) -> FloatArray:
        return frontier_flow(crawled, ranks, waiting)
