"""`sc-select`: pages first that would change the PageRank of the local domain most (Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.sc_select import sc_select_scores
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray
from hinterland.crawler.frontier.policies.ranked_order import RankedOrder


class ScSelect(RankedOrder):
    def scores(self, crawled: CrawledGraph, ranks: FloatArray, waiting: IntArray) -> FloatArray:
        return sc_select_scores(crawled, ranks, waiting)
