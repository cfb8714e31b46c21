"""How far an estimate probably is from the truth, as its own history tells.

Nobody who crawls knows the truth, but each refresh corrects the ones before it. Let d be the farthest, in L1, that the
estimate now is from any since half of the pages outside were crawled, the one of that half included, and m the pages
outside that are crawled now. Then

    predicted   ê = 0.35 d^0.6 + 0.4 / √(m + 5)
    nine in ten     ê exp(0.4 + 1.7 u),     u = (0.4 / √(m + 5)) / ê, the part of ê that no correction speaks for
    k pages later   ê (1 + k / (m + n/5))^-0.4,    n local pages, and m + n/5 at least 1

and the PageRank of page i is within a factor exp(move_i + e₉₀) of the estimate nine times in ten, where e₉₀ is the
second line and move_i the largest |log| by which the page was corrected since that half. The order of pages is surer
than that, since most errors are in what all of them share: its intervals take a third of the exponent.

The first term of ê is what is known to be unknown. The second stands for pages that nobody has linked to yet, of which
a crawl learns nothing until it meets them. The constants, and how far they are to be believed: docs/policies.md.
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
"""No two distributions are farther apart in L1."""
_LEAST_GROWTH: Final = 1.05
"""An estimate is remembered if it has so many times the outside pages of the last one that is: 15 in an octave."""
_LEAST_RANK: Final = 1e-300


class PastEstimate(NamedTuple):
    """An earlier refresh. outside_pages: crawled by then; pages, ascending, and ranks, shape (k,)."""

    outside_pages: int
    pages: IntArray
    ranks: FloatArray


@dataclass(frozen=True, eq=False)
class EstimateError:
    """l1: the predicted L1 distance from the global PageRank of the local pages; at_most: what it stays below nine
    times in ten. spreads, shape (n,): nine times in ten a page has between its rank divided by that and its rank times
    that. outside_pages: crawled by then.
    """

    l1: float
    at_most: float
    spreads: FloatArray
    outside_pages: int

    def after(self, more: int) -> float:
        """The L1 distance that probably remains when so many more pages outside are crawled."""
        begun = max(self.outside_pages + _DECAY_FROM * len(self.spreads), 1.0)
        return self.l1 / float((1 + more / begun) ** _DECAY)

    def outlook(self) -> tuple[float, float, float]:
        """What probably remains after n, 2 n and 4 n more pages, n being the local ones."""
        n = len(self.spreads)
        return self.after(n), self.after(2 * n), self.after(4 * n)


def place_intervals(ranks: FloatArray, spreads: FloatArray) -> tuple[IntArray, IntArray]:
    """The highest and the lowest place, from 1, that each page probably has, shape (n,) each: one page is surely above
    another if it is with what both have at worst for that. spreads: as in `EstimateError`.
    """
    narrow = spreads**_ORDER
    low, high = ranks / narrow, ranks * narrow
    count = len(ranks)
    highest: IntArray = (1 + count - np.searchsorted(np.sort(low), high, side="right")).astype(np.int32)
    lowest: IntArray = (count - np.searchsorted(np.sort(high), low, side="left")).astype(np.int32)
    return highest, lowest


class EstimateHistory:
    """Mutable: earlier refreshes of an estimate, those that still tell how it moves."""

    def __init__(self, past: Iterable[PastEstimate] = ()) -> None:
        """past: all of them, or those of `informative_refreshes`; the oldest first."""
        self._past = list[PastEstimate]()
        for each in past:
            self.add(each)

    def add(self, estimate: PastEstimate) -> None:
        """Another refresh, as exact as a store keeps it, so that a crawl which is resumed predicts the same."""
        outside, pages, ranks = estimate
        if self._past and not _tells(self._past[-1].outside_pages, outside):
            return
        same = (each.pages for each in self._past if np.array_equal(each.pages, pages))
        self._past.append(PastEstimate(outside, next(same, pages), ranks.astype(np.float32)))
        del self._past[: _half([each.outside_pages for each in self._past], outside)]

    def error(self, outside_pages: int, pages: IntArray, ranks: FloatArray) -> EstimateError | None:
        """Of an estimate that is not among them. None if pages outside were crawled and no refresh came before."""
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
    """How far a past estimate is from these ranks, in L1. moves, shape (n,): the most that each page is known to have
    moved, which is brought up to date; a page that was not known then has not moved.
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
    """The places of those earlier refreshes, by the pages outside of each, that `EstimateHistory` would remember."""
    kept = list[int]()
    for place, outside in enumerate(outside_pages):
        if not kept or _tells(outside_pages[kept[-1]], outside):
            kept.append(place)
            del kept[: _half([outside_pages[each] for each in kept], outside)]
    return kept


def _tells(last: int, outside: int) -> bool:
    return outside > _LEAST_GROWTH * last


def _half(outside_pages: Sequence[int], now: int) -> int:
    """The place of the last of these with at most half of the pages; the first if none has so few."""
    return max((place for place, each in enumerate(outside_pages) if 2 * each <= now), default=0)


def _ranks_of(pages: IntArray, past: PastEstimate) -> FloatArray:
    """What a past estimate had of these pages, shape (k,); 0 of those it did not know."""
    found = np.zeros(len(pages))
    if len(past.pages):
        places = np.minimum(np.searchsorted(past.pages, pages), len(past.pages) - 1)
        is_known = past.pages[places] == pages
        found[is_known] = past.ranks[places[is_known]]
    return found
