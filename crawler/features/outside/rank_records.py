"""Converts estimates into records for the store, and back. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimate_error import PastEstimate
from hinterland.analysis.estimates.estimation import Estimate
from hinterland.analysis.estimates.estimators import local_ranks
from hinterland.analysis.graph import FloatArray
from hinterland.analysis.rank_codec import unpacked
from hinterland.storage.values.records import RankIntervals, RankRecord

LOCAL_RANKS = "local"
"""The store's name for PageRank that is computed only from the links within the domain."""


def rank_records(crawled: CrawledGraph, estimate: Estimate, by_own_links: FloatArray | None = None) -> list[RankRecord]:
    """Return records of the local pages' PageRank, one for each estimator and one for the links within the domain.

    `by_own_links`, shape (n,), is the PageRank by the links within the domain, if it has been computed already.
    """
    if by_own_links is None:
        by_own_links = local_ranks(crawled)
    ranks = {LOCAL_RANKS: by_own_links, **estimate.by_estimator}
    pages = array("i", estimate.pages.tobytes())
    intervals = rank_intervals(estimate)
    return [
        RankRecord(name, pages, array("d", each.tobytes()), intervals if name == estimate.estimator else None)
        for name, each in ranks.items()
    ]


def past_estimates(stored: Iterable[tuple[int, bytes]]) -> Iterator[PastEstimate]:
    """Yield past estimates; `stored` holds the number of outside pages and the packed ranks of each."""
    return (PastEstimate(outside_pages, *unpacked(ranks)) for outside_pages, ranks in stored)


def rank_intervals(estimate: Estimate) -> RankIntervals | None:
    """Return intervals of the likely rank and place of each page; None if the error of the estimate is unknown."""
    if estimate.error is None:
        return None
    highest, lowest = estimate.error.place_intervals(estimate.ranks)
    return RankIntervals(
        array("d", estimate.error.spreads.tobytes()), array("i", highest.tobytes()), array("i", lowest.tobytes())
    )
