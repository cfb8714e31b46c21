"""The rank of one page over the refreshes of the estimate."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import IntArray
from hinterland.analysis.rank_codec import unpacked
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.ranks import EstimateHead, PageRanks

RankArray = NDArray[np.float32]

_ABOUT_EQUAL = 1.05


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The rank of a page at one refresh of the estimate.

    `share` is its share of the domain's PageRank; None before the page was known. `local_pages` and `outside_pages` are
    the numbers of pages fetched by then.
    """

    created_at: float
    local_pages: int
    outside_pages: int
    share: float | None


class RankHistories:
    """Computes the rank of a page at past refreshes. Thread-safe.

    Mutable: it caches decoded estimates, 8 bytes per rank, so only the first page that is viewed waits for decoding.
    """

    def __init__(self, max_ranks: int = 4_000_000) -> None:
        """Start empty. Up to about `max_ranks` ranks are cached; decoding that many takes a fraction of a second."""
        self._max_ranks = max_ranks
        self._lock = threading.Lock()
        self._unpacked: dict[EstimateHead, tuple[IntArray, RankArray]] = {}

    def of(self, page: int, store: StoreReader) -> tuple[list[HistoryPoint], int]:
        """Return the history of a page, as points at evenly spaced refreshes, and the number of all refreshes.

        There are no points if no refresh has ranked the page.
        """
        heads, refreshes = store.ranks.estimate_heads(self._max_ranks)
        with self._lock:
            self._unpacked = {head: self._unpacked.get(head) or _unpacked(head, store) for head in heads}
            estimates = self._unpacked
        points = [_point(page, head, *estimates[head]) for head in heads]
        return points if any(point.share is not None for point in points) else [], refreshes


def _unpacked(head: EstimateHead, store: StoreReader) -> tuple[IntArray, RankArray]:
    pages, ranks = unpacked(store.ranks.estimated(head))
    return pages, ranks.astype(np.float32)


def _point(page: int, head: EstimateHead, pages: IntArray, ranks: RankArray) -> HistoryPoint:
    place = int(np.searchsorted(pages, page))
    share = float(ranks[place]) if place < len(pages) and pages[place] == page else None
    return HistoryPoint(head.created_at, head.local_pages, head.outside_pages, share)


def in_words(ranks: PageRanks) -> str:
    """Return a sentence that compares the rank of a page in the web with its rank within its own site."""
    ratio = ranks.ratio
    if abs(log(ratio)) < log(_ABOUT_EQUAL):
        return "This page ranks about as high in the web as within its own site."
    if ratio > 1:
        return f"The rank of this page in the web is {_times(ratio)} its rank within its own site."
    return f"The rank of this page within its own site is {_times(1 / ratio)} its rank in the web."


def _times(factor: float) -> str:
    return f"{factor:.1f} times" if factor < 10 else f"{factor:,.0f} times"
