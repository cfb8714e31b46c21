"""Predicts how far an estimate is from the truth, from the estimate's own history and from signs in the crawl.

A crawl never knows the truth, but each refresh corrects the earlier ones. Let m be the number of external pages crawled
now, and d the largest L1 distance of the current estimate from any earlier one since m/2 external pages were crawled,
including the one at that point. What the corrections reveal is

    e = 0.35 d^0.6 + 0.4 / √(m + 5)

The first term is the error that corrections show. The second stands for pages to which the crawl has found no link yet,
and about which corrections say nothing. How much these matter depends on the domain (`crawl_signs`), so the predicted
error ê is learnt from e and these signs (`error_formula`). A bound holds nine times in ten. It gives these ranges:

    a page          its rank times or divided by exp(move + c · bound)
    its place       a third of that exponent, with a c of its own
    k pages later   ê (1 + k / (m + n/5))^-decay,    n local pages, and m + n/5 at least 1

where a page's move is the largest |log| by which it was corrected since m/2 pages. The order of pages is more certain
than their ranks, since most errors are common to all pages. The constants are in `error_constants`. docs/estimates.md
says what they were learnt from, how well they fit other webs, and what no prediction can know.
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
    by its spread and its rank times its spread. `outside_pages` is how many external pages were crawled. `revealed` is
    e, what the corrections reveal, and `signs` is the other basis of the prediction. `unlike` holds those of
    `error_formula.OBSERVATIONS` by which the crawl is unlike all crawls that the constants were learnt from. If there
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
        """The largest |log| by which each page was corrected lately, shape (n,)."""
        found: FloatArray = np.log(self.spreads) - CONSTANTS.of_pages * self.at_most
        return found

    def place_intervals(self, ranks: FloatArray, spreads: FloatArray | None = None) -> tuple[IntArray, IntArray]:
        """Return the highest and the lowest place, from 1, that each page probably has, shape (k,) each.

        `ranks` and `spreads` are those of the k pages that are ranked, all of them if `spreads` is None.
        """
        narrower = exp((CONSTANTS.of_places - CONSTANTS.of_pages) * self.at_most)
        return place_intervals(ranks, (self.spreads if spreads is None else spreads) * narrower)


def place_intervals(ranks: FloatArray, spreads: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the highest and the lowest place, from 1, that each page has if only a third of log(spread) counts.

    A page counts as certainly above another if its lowest possible rank exceeds the highest possible rank of the other.
    """
    narrow = np.maximum(spreads, 1.0) ** _ORDER
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

    def error(self, outside_pages: int, pages: IntArray, ranks: FloatArray, signs: CrawlSigns) -> EstimateError | None:
        """Return the predicted error of a new estimate, which is not in the history yet.

        `signs` are the signs of the crawl that the estimate was made from. Returns None if external pages were crawled,
        but there was no earlier refresh.
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
    """Return the L1 distance of a past estimate from these ranks, and update `moves`.

    `moves`, shape (n,), is the largest |log| by which each page is known to have been corrected; 0 for a page that was
    unknown at the time.
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
