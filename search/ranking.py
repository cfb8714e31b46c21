"""Ranking: the text score of a page plus a query-independent score from its PageRank. Pure.

    score(page, query) = text(page, query) + w S^a / (k^a + S^a)

text is described in `QueryBuilder.matching`. S is the PageRank of the page times the number of pages
ranked, so that 1 is the average. The second part is the saturating form that Craswell, Robertson, Zaragoza & Taylor
(SIGIR 2005) found best for query-independent evidence: it grows steeply at first and is at most w.

Because of this bound, the best k of all matching pages can be found without scoring all of them, by the threshold
algorithm of Fagin, Lotem & Naor (PODS 2001): pages come in the order of their text scores, so no later page can score
more than the last text score plus w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from hinterland.search.store.values.arrays import FloatArray, LongArray
from hinterland.search.store.values.term_query import TextHits

_MORE: Final = 32
"""How many times as many pages are scored if the result is not certain. A search finds all matches anyway, so that to
score more pages at once costs less than to search once more."""


@dataclass(frozen=True, slots=True)
class RankWeights:
    """The weights of the PageRank part of the score."""

    weight: float
    """w: the most that PageRank can add."""
    half: float
    """k: the PageRank, in multiples of the average, that adds half of it."""
    exponent: float
    """a: how sharply the part rises around `half`."""


class IndexedRanks:
    """The PageRank of pages in multiples of the average.

    The arrays are not copied and may be memory-mapped files.
    """

    def __init__(self, pages: LongArray, ranks: FloatArray) -> None:
        """Wrap parallel arrays of shape (n,): `pages`, ascending, and their PageRank `ranks`."""
        self._pages = pages
        self._ranks = ranks
        self._per_average = len(ranks) / max(float(ranks.sum()), 1e-300)

    def of(self, pages: LongArray) -> FloatArray:
        """Return the ranks of some pages, shape (k,); 0 for pages without a rank."""
        if not len(self._pages):
            return np.zeros(len(pages))
        places = np.minimum(np.searchsorted(self._pages, pages), len(self._pages) - 1)
        found = self._ranks[places] * self._per_average
        return np.asarray(np.where(self._pages[places] == pages, found, 0.0), np.float64)

    def place_of(self, page: int) -> int | None:
        """Return the position of a page in the ranking, from 1; None if it has no rank."""
        place = int(np.searchsorted(self._pages, page))
        if place == len(self._pages) or self._pages[place] != page or not self._ranks[place]:
            return None
        return 1 + len(self._ascending) - int(np.searchsorted(self._ascending, self._ranks[place], side="right"))

    @cached_property
    def _ascending(self) -> FloatArray:
        return np.sort(self._ranks)

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._pages)


def rank_part(ranks: FloatArray, weights: RankWeights) -> FloatArray:
    """Return w S^a / (k^a + S^a) for each rank S, shape (n,)."""
    with np.errstate(divide="ignore", over="ignore"):  # the form 1 / (1 + (k/S)^a) stays within its bounds for any S
        shares = 1.0 / (1.0 + np.power(weights.half / np.maximum(ranks, 0.0), weights.exponent))
    return np.asarray(weights.weight * shares, np.float64)


@dataclass(frozen=True, slots=True)
class RankedHits:
    """The best pages, best first, in parallel arrays."""

    pages: LongArray
    text_scores: FloatArray
    ranks: FloatArray
    """PageRank in multiples of the average."""
    rank_parts: FloatArray
    total: int
    is_exact: bool
    """Whether no other matching page has a higher score."""

    @property
    def scores(self) -> FloatArray:
        """Text score plus PageRank part of each page."""
        return np.asarray(self.text_scores + self.rank_parts, np.float64)


def best(
    by_text: Callable[[int], TextHits], ranks: IndexedRanks, weights: RankWeights, limit: int, *, first: int, most: int
) -> RankedHits:
    """Return the `limit` best pages by text and PageRank.

    `by_text(count)` returns the `count` best pages by text. It is called with `first`, then with 32 times as many,
    and so on until the result is certain, but never with more than the larger of `most` and `limit`. Ties keep the
    order of `by_text` at every count, so that each hit is on exactly one page of results.
    """
    count = max(first, limit)
    while True:
        hits = by_text(count)
        found = ranks.of(hits.pages)
        parts = rank_part(found, weights)
        scores = hits.scores + parts
        order = np.argsort(-scores, kind="stable")[:limit]
        is_all = len(hits.pages) < count
        is_exact = is_all or (len(order) == limit and bool(hits.scores[-1] + weights.weight <= scores[order[-1]]))
        if is_exact or count >= max(most, limit):
            return RankedHits(hits.pages[order], hits.scores[order], found[order], parts[order], hits.total, is_exact)
        count = min(_MORE * count, max(most, limit))


def followed_by(first: RankedHits, others: RankedHits, limit: int) -> RankedHits:
    """Concatenate two disjoint lists, `first` before `others`, into one of at most `limit` pages.

    If `first` has fewer than `limit` pages, these must be all of its hits. If it fills the list, `others` only adds to
    the total.
    """
    pages = np.concatenate((first.pages, others.pages))[:limit]
    return RankedHits(
        pages=pages,
        text_scores=np.concatenate((first.text_scores, others.text_scores))[:limit],
        ranks=np.concatenate((first.ranks, others.ranks))[:limit],
        rank_parts=np.concatenate((first.rank_parts, others.rank_parts))[:limit],
        total=first.total + others.total,
        is_exact=first.is_exact and (others.is_exact or len(first.pages) >= len(pages)),
    )
