"""`sc-select`: pages that would change the local domain's PageRank most come first (Davis & Dhillon, KDD 2006)."""

from __future__ import annotations

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.sc_select import sc_select_scores
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray
from hinterland.crawler.frontier.policies.ranked_order import RankedOrder


class ScSelect(RankedOrder):
    """Orders waiting pages by their influence on the PageRank of local pages."""

    def scores(self, crawled: CrawledGraph, ranks: FloatArray, waiting: IntArray) -> FloatArray:
        """Return the SC-Select score of each waiting page, shape (k,)."""
        return sc_select_scores(crawled, ranks, waiting)
