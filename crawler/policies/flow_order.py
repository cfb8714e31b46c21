"""`flow`: pages first that receive most PageRank flow from the crawled ones (PF-Select, Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from analysis.crawled_graph import CrawledGraph
from analysis.flow import frontier_flow
from crawler.policies.policy import FloatArray, IntArray
from crawler.policies.ranked_order import RankedOrder


class FlowOrder(RankedOrder):
    def scores(self, crawled: CrawledGraph, ranks: FloatArray, waiting: IntArray) -> FloatArray:
        return frontier_flow(crawled, ranks, waiting)
