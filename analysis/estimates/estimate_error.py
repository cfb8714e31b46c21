"""Predicts how far an estimate is from the truth, from earlier estimates of the same crawl and from signs in the crawl.

A crawl never knows the truth, but each refresh corrects the earlier ones. Let m be the number of external pages crawled
now. Let d be the largest L1 distance between the current estimate and any earlier one, beginning with the last one made
when at most m/2 external pages were crawled. What the corrections reveal is

    e = 0.35 d^0.6 + 0.4 / √(m + 5)

The first term is the error that corrections show. The second stands for pages to which the crawl has found no link yet,
and about which corrections say nothing. How much these pages matter depends on the domain (`crawl_signs`), so the
predicted error ê is learnt from e and these signs (`error_formula`). The error is below a bound nine times in ten. From
the bound follow these ranges:

    rank of a page      the estimate, times or divided by exp(move + c · bound)
    place of a page     a third of that exponent, with another c
    k pages later       ê (1 + k / (m + n/5))^-decay,    n local pages, and m + n/5 at least 1

The move of a page is the largest |log| of a factor by which its rank was corrected since m/2 external pages were
crawled. The order of pages is more certain than their ranks, since most errors are common to all pages. The constants
are in `error_constants`. docs/estimates.md says what they were learnt from, how well they fit other webs, and what no
prediction can know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from typing import Final, NamedTuple

import numpy as np

from hinterland.analysis.chunked import chunks
from hinterland.analysis.estimates.crawl_signs import NO_SIGNS, CrawlSigns
from hinterland.analysis.estimates.error_constants import CONSTANTS
from hinterland.analysis.estimates.error_formula import predicted
from hinterland.analysis.graph import FloatArray, IntArray

_MOVED: Final = 0.35
_MOVED_EXPONENT: Final = 0.6
_UNSEEN: Final = 0.4
_UNSEEN_FROM: Final = 5
_DECAY_FROM: Final = 0.2
_ORDER: Final = 1 / 3
_LEAST_GROWTH: Final = 1.05
"""An estimate is remembered if its number of external pages exceeds that of the last remembered one by this factor:
about 15 estimates per doubling.
"""
_LEAST_RANK: Final = 1e-300


class PastEstimate(NamedTuple):
    """The estimate of an earlier refresh.

    `outside_pages` is the number of external pages that were crawled at that time. `pages`, ascending, and their
    `ranks` have shape (k,).
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

    The prediction is based on `revealed`, which is e, what the corrections reveal, and on `signs`. `unlike` names the
    observations (`error_formula.OBSERVATIONS`) that are outside the range in which the constants were learnt. If there
    are any, the bound and the intervals are wider, and less certain.
    """

    l1: float
    at_most: float
    spreads: FloatArray
    outside_pages: int
    revealed: float = 0.0
    signs: CrawlSigns = NO_SIGNS
    unlike: Sequence[str] = ()

    def after(self, more: int) -> float:
        """Return the L1 distance that probably remains after `more` external pages are crawled."""
        begun = max(self.outside_pages + _DECAY_FROM * len(self.spreads), 1.0)
        return self.l1 / float((1 + more / begun) ** CONSTANTS.decay)

    def outlook(self) -> tuple[float, float, float]:
        """Return the L1 distances that probably remain after n, 2 n and 4 n more pages, for n local pages."""
        n = len(self.spreads)
        return self.after(n), self.after(2 * n), self.after(4 * n)

    @property
    def moves(self) -> FloatArray:
        """The largest |log| of a factor by which each page was corrected lately, shape (n,)."""
        found: FloatArray = np.log(self.spreads) - CONSTANTS.of_pages * self.at_most
        return found

    def place_intervals(self, ranks: FloatArray, spreads: FloatArray | None = None) -> tuple[IntArray, IntArray]:
        """Return the highest and the lowest place that each page probably has, counted from 1, shape (k,) each.

        `ranks` and `spreads` belong to the k pages that are ranked. If `spreads` is None, all local pages are ranked,
        with the spreads of this object.
        """
        narrower = exp((CONSTANTS.of_places - CONSTANTS.of_pages) * self.at_most)
        return place_intervals(ranks, (self.spreads if spreads is None else spreads) * narrower)


def place_intervals(ranks: FloatArray, spreads: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the highest and the lowest place that each page probably has, counted from 1, shape (k,) each.

    Only a third of log(spread) counts here, since the order of pages is more certain than their ranks. A page certainly
    precedes another if its lowest possible rank exceeds the highest possible rank of the other page.
    """
    narrow = np.maximum(spreads, 1.0) ** _ORDER
    low, high = ranks / narrow, ranks * narrow
    count = len(ranks)
    highest: IntArray = (1 + count - np.searchsorted(np.sort(low), high, side="right")).astype(np.int32)
    lowest: IntArray = (count - np.searchsorted(np.sort(high), low, side="left")).astype(np.int32)
    return highest, lowest


class EstimateHistory:
    """The estimates of earlier refreshes, which show how far the estimate moves. Mutable."""

    def __init__(self, past: Iterable[PastEstimate] = ()) -> None:
        """Take earlier estimates, oldest first: all, or only those that `informative_refreshes` selects."""
        self._past = list[PastEstimate]()
        for each in past:
            self.add(each)

    def add(self, estimate: PastEstimate) -> None:
        """Add an estimate. It is rounded as in a store, so that a resumed crawl makes the same predictions."""
        outside, pages, ranks = estimate
        if self._past and not _tells(self._past[-1].outside_pages, outside):
            return
        same = (each.pages for each in self._past if np.array_equal(each.pages, pages))
        self._past.append(PastEstimate(outside, next(same, pages), ranks.astype(np.float32)))
        del self._past[: _half([each.outside_pages for each in self._past], outside)]

    def error(self, outside_pages: int, pages: IntArray, ranks: FloatArray, signs: CrawlSigns) -> EstimateError | None:
        """Return the predicted error of a new estimate, which is not in the history yet.

        `signs` are the signs of the crawl from which the estimate was made. Returns None if there was no earlier
        estimate although external pages were crawled.
        """
        since = self._past[_half([each.outside_pages for each in self._past], outside_pages) :]
        if outside_pages and not since:
            return None
        moves = np.zeros(len(pages))
        moved = max((_correct(moves, pages, ranks, past) for past in since if outside_pages), default=0.0)
        revealed = _MOVED * moved**_MOVED_EXPONENT + _UNSEEN / sqrt(outside_pages + _UNSEEN_FROM)
        l1, at_most, unlike = predicted(revealed, signs, CONSTANTS)
        moves += CONSTANTS.of_pages * at_most
        spreads = np.exp(moves, out=moves)
        return EstimateError(l1, at_most, spreads, outside_pages, revealed=revealed, signs=signs, unlike=unlike)


def _correct(moves: FloatArray, pages: IntArray, ranks: FloatArray, past: PastEstimate) -> float:
    """Return the L1 distance between a past estimate and these ranks, and update `moves`.

    `moves`, shape (n,), holds the largest correction of each page's rank so far: |log(new rank / old rank)|. It does
    not change for pages that have no rank in the past estimate.
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
    """Return the indices of the refreshes that `EstimateHistory` keeps, since its predictions need only these."""
    kept = list[int]()
    for place, outside in enumerate(outside_pages):
        if not kept or _tells(outside_pages[kept[-1]], outside):
            kept.append(place)
            del kept[: _half([outside_pages[each] for each in kept], outside)]
    return kept


def _tells(last: int, outside: int) -> bool:
    return outside > _LEAST_GROWTH * last


def _half(outside_pages: Sequence[int], now: int) -> int:
    """Return the index of the last refresh with at most now / 2 external pages, or 0 if there is no such refresh."""
    return max((place for place, each in enumerate(outside_pages) if 2 * each <= now), default=0)


def _ranks_of(pages: IntArray, past: PastEstimate) -> FloatArray:
    """Return the ranks of these pages in a past estimate, shape (k,); 0 for pages that were unknown."""
    found = np.zeros(len(pages))
    if len(past.pages):
        places = np.minimum(np.searchsorted(past.pages, pages), len(past.pages) - 1)
        is_known = past.pages[places] == pages
        found[is_known] = past.ranks[places[is_known]]
    return found
