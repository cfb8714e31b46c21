"""Predicts how far an estimate is from the truth, from the estimate's own history.

A crawl never knows the truth, but each refresh corrects the earlier ones. Let m be the number of external pages crawled
now, and d the largest L1 distance of the current estimate from any earlier one since m/2 external pages were crawled,
including the one at that point. Then

    predicted   ê = 0.35 d^0.6 + 0.4 / √(m + 5)
    nine in ten     ê exp(0.4 + 1.7 u),     u = (0.4 / √(m + 5)) / ê, the share of ê without evidence
    k pages later   ê (1 + k / (m + n/5))^-0.4,    n local pages, and m + n/5 at least 1

and the PageRank of page i is within a factor exp(move_i + e₉₀) of the estimate nine times in ten, where e₉₀ is the
second line and move_i the largest |log| by which the page was corrected since that point. The order of pages is more
certain than their ranks, since most errors are common to all pages: intervals of places use a third of the exponent.

The first term of ê is the error that corrections reveal. The second stands for pages to which the crawl has found no
link yet, and about which it knows nothing. For the constants and their reliability see docs/policies.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import Final, NamedTuple

import numpy as np

from hinterland.analysis.chunked import chunks
from hinterland.analysis.graph import FloatArray, IntArray

_MOVED: Final = 0.35
_MOVED_EXPONENT: Final = 0.6
_UNSEEN: Final = 0.4
_UNSEEN_FROM: Final = 5
_LEAST_UNSURE: Final = 0.4
_UNSURE: Final = 1.7
_DECAY: Final = 0.4
_DECAY_FROM: Final = 0.2
_ORDER: Final = 1 / 3
_MOST: Final = 2.0
"""The largest L1 distance between two distributions."""
_LEAST_GROWTH: Final = 1.05
"""An estimate is remembered if its number of external pages exceeds that of the last remembered one by this factor:
about 15 estimates per doubling.
"""
_LEAST_RANK: Final = 1e-300


class PastEstimate(NamedTuple):
    """An earlier refresh of the estimate.

    `outside_pages` is how many external pages were crawled by then. `pages`, ascending, and their `ranks` have shape
    (k,).
    """

    outside_pages: int
    pages: IntArray
    ranks: FloatArray


@dataclass(frozen=True, eq=False)
class EstimateError:
    """How wrong an estimate probably is.

    `l1` is the predicted L1 distance from the global PageRank of the local pages; with a probability of 0.9 it is below
    `at_most`. `spreads` has shape (n,): with a probability of 0.9, the true rank of a page is between its rank divided
    by its spread and its rank times its spread. `outside_pages` is how many external pages were crawled.
    """

    l1: float
    at_most: float
    spreads: FloatArray
    outside_pages: int

    def after(self, more: int) -> float:
        """Return the L1 distance that probably remains after `more` external pages are crawled."""
        begun = max(self.outside_pages + _DECAY_FROM * len(self.spreads), 1.0)
        return self.l1 / float((1 + more / begun) ** _DECAY)

    def outlook(self) -> tuple[float, float, float]:
        """Return the L1 distances that probably remain after n, 2 n and 4 n more pages, for n local pages."""
        n = len(self.spreads)
        return self.after(n), self.after(2 * n), self.after(4 * n)


def place_intervals(ranks: FloatArray, spreads: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the highest and the lowest place, from 1, that each page probably has, shape (n,) each.

    A page counts as certainly above another if its lowest possible rank exceeds the highest possible rank of the other.
    For `spreads` see `EstimateError`.
    """
    narrow = spreads**_ORDER
    low, high = ranks / narrow, ranks * narrow
    count = len(ranks)
    highest: IntArray = (1 + count - np.searchsorted(np.sort(low), high, side="right")).astype(np.int32)
    lowest: IntArray = (count - np.searchsorted(np.sort(high), low, side="left")).astype(np.int32)
    return highest, lowest


class EstimateHistory:
    """The earlier refreshes of an estimate that show how it moves. Mutable."""

    def __init__(self, past: Iterable[PastEstimate] = ()) -> None:
        """Take all earlier refreshes, or only those selected by `informative_refreshes`, oldest first."""
        self._past = list[PastEstimate]()
        for each in past:
            self.add(each)

    def add(self, estimate: PastEstimate) -> None:
        """Add a refresh. It is rounded as it is in a store, so that a resumed crawl predicts the same."""
        outside, pages, ranks = estimate
        if self._past and not _tells(self._past[-1].outside_pages, outside):
            return
        same = (each.pages for each in self._past if np.array_equal(each.pages, pages))
        self._past.append(PastEstimate(outside, next(same, pages), ranks.astype(np.float32)))
        del self._past[: _half([each.outside_pages for each in self._past], outside)]

    def error(self, outside_pages: int, pages: IntArray, ranks: FloatArray) -> EstimateError | None:
        """Return the predicted error of a new estimate, which is not in the history yet.

        Returns None if external pages were crawled but no refresh came before.
        """
        since = self._past[_half([each.outside_pages for each in self._past], outside_pages) :]
        if outside_pages and not since:
            return None
        moves = np.zeros(len(pages))
        moved = max((_correct(moves, pages, ranks, past) for past in since if outside_pages), default=0.0)
        seen, unseen = _MOVED * moved**_MOVED_EXPONENT, _UNSEEN / sqrt(outside_pages + _UNSEEN_FROM)
        predicted = seen + unseen
        at_most = predicted * exp(_LEAST_UNSURE + _UNSURE * unseen / predicted)
        moves += min(at_most, _MOST)
        return EstimateError(min(predicted, _MOST), min(at_most, _MOST), np.exp(moves, out=moves), outside_pages)


def _correct(moves: FloatArray, pages: IntArray, ranks: FloatArray, past: PastEstimate) -> float:
    """Return the L1 distance of a past estimate from these ranks, and update `moves`.

    `moves`, shape (n,), is the largest |log| by which each page is known to have been corrected; 0 for a page that was
    unknown then.
    """
    is_same = past.pages is pages or np.array_equal(past.pages, pages)
    distance, known = 0.0, 0.0
    for part in chunks(len(pages)):
        before = past.ranks[part].astype(np.float64) if is_same else _ranks_of(pages[part], past)
        is_known = before > 0
        known += float(before.sum())
        distance += float(np.abs(ranks[part] - before).sum())
        change = np.abs(np.log(np.maximum(ranks[part], _LEAST_RANK) / np.where(is_known, before, 1.0)))
        np.maximum(moves[part], change, out=moves[part], where=is_known)
    return distance + max(1.0 - known, 0.0)


def informative_refreshes(outside_pages: Sequence[int]) -> list[int]:
    """Return the indices of the refreshes that `EstimateHistory` would remember."""
    kept = list[int]()
    for place, outside in enumerate(outside_pages):
        if not kept or _tells(outside_pages[kept[-1]], outside):
            kept.append(place)
            del kept[: _half([outside_pages[each] for each in kept], outside)]
    return kept


def _tells(last: int, outside: int) -> bool:
    return outside > _LEAST_GROWTH * last


def _half(outside_pages: Sequence[int], now: int) -> int:
    """Return the index of the last refresh with at most half of `now` external pages, or 0 if all have more."""
    return max((place for place, each in enumerate(outside_pages) if 2 * each <= now), default=0)


def _ranks_of(pages: IntArray, past: PastEstimate) -> FloatArray:
    """Return the past ranks of these pages, shape (k,); 0 for pages that were unknown."""
    found = np.zeros(len(pages))
    if len(past.pages):
        places = np.minimum(np.searchsorted(past.pages, pages), len(past.pages) - 1)
        is_known = past.pages[places] == pages
        found[is_known] = past.ranks[places[is_known]]
    return found
