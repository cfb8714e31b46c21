"""How good an answer a page is: its text, plus what its PageRank says whatever the question. Pure.

    score(page, query) = text(page, query) + w S^a / (k^a + S^a)

text is the sum of boosted BM25 scores over fields and words. S is the PageRank of the page times the number of pages
ranked, so that 1 is the average. The second part is the saturating form that Craswell, Robertson, Zaragoza & Taylor
(SIGIR 2005) found best for evidence that does not depend on the query: it grows steeply at first and is at most w.

Because of that bound the best k of all matching pages can be told without scoring all of them (the threshold of Fagin,
Lotem & Naor, PODS 2001): if pages come in the order of their text scores, no page that has not come yet can
score more than the last text score plus w.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hinterland.search.store.values.arrays import FloatArray, LongArray
from hinterland.search.store.values.term_query import TextHits


@dataclass(frozen=True, slots=True)
class RankWeights:
    """Of the part of the score that comes of PageRank."""

    weight: float
    """w: the most it can add."""
    half: float
    """k: the PageRank, in multiples of the average, that adds half of it."""
    exponent: float
    """a: how sharply it rises around there."""


class IndexedRanks:
    """The ranks of pages, in multiples of the average. Both arrays stay where they are, which may be in files."""

    def __init__(self, pages: LongArray, ranks: FloatArray) -> None:
        """Both of shape (n,), the pages ascending; the ranks as they come from PageRank."""
        self._pages = pages
        self._ranks = ranks
        self._per_average = len(ranks) / max(float(ranks.sum()), 1e-300)

    def of(self, pages: LongArray) -> FloatArray:
        """Shape (k,); 0 for pages without one."""
        if not len(self._pages):
            return np.zeros(len(pages))
        places = np.minimum(np.searchsorted(self._pages, pages), len(self._pages) - 1)
        found = self._ranks[places] * self._per_average
        return np.asarray(np.where(self._pages[places] == pages, found, 0.0), np.float64)

    def place_of(self, page: int) -> int | None:
        """How many rank higher, and one; None for a page without a rank."""
        place = int(np.searchsorted(self._pages, page))
        if place == len(self._pages) or self._pages[place] != page or not self._ranks[place]:
            return None
        return 1 + int(np.count_nonzero(self._ranks > self._ranks[place]))

    def __len__(self) -> int:
        return len(self._pages)


def rank_part(ranks: FloatArray, weights: RankWeights) -> FloatArray:
    """W S^a / (k^a + S^a); shape (n,)."""
    with np.errstate(divide="ignore", over="ignore"):  # as 1 / (1 + (k/S)^a) it stays within its bounds for any S
        shares = 1.0 / (1.0 + np.power(weights.half / np.maximum(ranks, 0.0), weights.exponent))
    return np.asarray(weights.weight * shares, np.float64)


@dataclass(frozen=True, slots=True)
class RankedHits:
    """The best pages, best first; parallel arrays."""

    pages: LongArray
    text_scores: FloatArray
    ranks: FloatArray
    """IndexedRanks in multiples of the average."""
    rank_parts: FloatArray
    total: int
    is_exact: bool
    """No other page that matches scores more."""

    @property
    def scores(self) -> FloatArray:
        return np.asarray(self.text_scores + self.rank_parts, np.float64)


def best(
    by_text: Callable[[int], TextHits], ranks: IndexedRanks, weights: RankWeights, limit: int, *, first: int, most: int
) -> RankedHits:
    """The `limit` best pages by text and rank.

    by_text: the so many best by text. It is asked for `first`, then for four times as many until the best are certain,
    but never for more than `most`, or `limit` if that is more. Of pages of one score that comes first which by_text
    has first, however many it is asked for: so no page is on two pages of results, or on none.
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
        count = min(4 * count, max(most, limit))


def followed_by(first: RankedHits, others: RankedHits, limit: int) -> RankedHits:
    """Two lists without a page in common as one, of at most `limit` pages: all of the first come before any other.

    The first is whole, or fills the list by itself; then the others only count.
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
