"""What the web made of one page as the estimate settled. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from storage.browsing_records import EstimateBlob, PageRanks

_ABOUT_EQUAL = 1.05


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """share: of the domain's rank, None before the page was known; local_pages, outside_pages: fetched by then."""

    created_at: float
    local_pages: int
    outside_pages: int
    share: float | None


def history_of(page: int, blobs: Sequence[EstimateBlob]) -> list[HistoryPoint]:
    from analysis.rank_history import unpacked  # brings a compiler

    points = []
    for blob in blobs:
        pages, ranks = unpacked(blob.ranks)
        place = np.flatnonzero(pages == page)
        share = float(ranks[place[0]]) if len(place) else None
        points.append(HistoryPoint(blob.created_at, blob.local_pages, blob.outside_pages, share))
    return points


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
