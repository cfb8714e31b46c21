"""What the web made of one page as the estimate settled."""

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
    """share: of the domain's rank, None before the page was known; local_pages, outside_pages: fetched by then."""

    created_at: float
    local_pages: int
    outside_pages: int
    share: float | None


class RankHistories:
    """What the estimates made of any page. Mutable, for several threads: the estimates that were asked for last stay
    unpacked, 8 bytes a rank, so that only the first page that somebody looks at waits for that.
    """

    def __init__(self, max_ranks: int = 4_000_000) -> None:
        """max_ranks: so many are held at about the most; to unpack them takes a fraction of a second."""
        self._max_ranks = max_ranks
        self._lock = threading.Lock()
        self._unpacked: dict[EstimateHead, tuple[IntArray, RankArray]] = {}

    def of(self, page: int, store: StoreReader) -> tuple[list[HistoryPoint], int]:
        """A point for each of some refreshes, evenly chosen, none if no refresh knew the page; and how many refreshes
        there are in all.
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
    """The ratio of the two rankings as a sentence."""
    ratio = ranks.ratio
    if abs(log(ratio)) < log(_ABOUT_EQUAL):
        return "The web makes about as much of this page as its own site does."
    if ratio > 1:
        return f"The web gives this page {_times(ratio)} the weight that its own site gives it."
    return f"Its own site gives this page {_times(1 / ratio)} the weight that the web gives it."


def _times(factor: float) -> str:
    return f"{factor:.1f} times" if factor < 10 else f"{factor:,.0f} times"
