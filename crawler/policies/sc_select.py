"""`sc-select`: pages first that would change the PageRank of the local domain most (Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from analysis.crawled_graph import CrawledGraph
from analysis.sc_select import sc_select_scores
from crawler.policies.policy import FloatArray, IntArray
from crawler.policies.ranked_order import RankedOrder


class ScSelect(RankedOrder):
    def scores(self, crawled: CrawledGraph, ranks: FloatArray, waiting: IntArray) -> FloatArray:
        return sc_select_scores(crawled, ranks, waiting)
