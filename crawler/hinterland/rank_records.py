"""What the store keeps of an estimate. Pure."""

from __future__ import annotations

from array import array

from analysis.crawled_graph import CrawledGraph
from analysis.estimation import Estimate
from analysis.estimators import local_ranks
from analysis.graph import FloatArray
from storage.values.records import RankRecord

LOCAL_RANKS = "local"
"""Under this name the store has the PageRank of the domain by its own links alone."""


def rank_records(
    crawled: CrawledGraph, estimate: Estimate, by_own_links: FloatArray | None = None
) -> list[RankRecord]:
    """The PageRank of the local pages by every estimator, and by the domain's own links: by_own_links, shape (n,), if
    it is known already."""
    if by_own_links is None:
        by_own_links = local_ranks(crawled)
    ranks = {LOCAL_RANKS: by_own_links, **estimate.by_estimator}
    pages = array("i", estimate.pages.tobytes())
    return [RankRecord(name, pages, array("d", each.tobytes())) for name, each in ranks.items()]
