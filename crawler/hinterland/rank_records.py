"""What the store keeps of an estimate. Pure."""

from __future__ import annotations

from analysis.crawled_graph import CrawledGraph
from analysis.estimation import Estimate
from analysis.estimators import local_ranks
from storage.records import RankRecord

LOCAL_RANKS = "local"
"""Under this name the store has the PageRank of the domain by its own links alone."""


def rank_records(crawled: CrawledGraph, estimate: Estimate) -> list[RankRecord]:
    """The PageRank of the local pages by every estimator, and by the domain's own links."""
    pages = estimate.pages.tolist()
    ranks = {LOCAL_RANKS: local_ranks(crawled), **estimate.by_estimator}
    return [RankRecord(name, pages, each.tolist()) for name, each in ranks.items()]
