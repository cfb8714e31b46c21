"""Rankings of known items: text scores of the best documents, what a prior makes of them, and the choice of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.retrieval_measures import reciprocal_rank
from hinterland.search.query_language import understand
from hinterland.search.ranking import RankWeights, rank_part
from hinterland.search.store.term_index import TermIndex
from hinterland.search.store.values.term_query import NAMES, TEXT_FIELDS, Boosts

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

DEPTH: Final = 1000
"""The number of best documents by text that are reranked."""
TUNED_DEPTH: Final = 200
"""The same where weights are chosen."""
WEIGHTS: Final = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
HALVES: Final = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
EXPONENTS: Final = (0.3, 0.6, 1.0)
BOOST_STEPS: Final = (0.25, 0.5, 2.0, 4.0)
_ENOUGH_HITS: Final = 10


@dataclass(frozen=True, eq=False)
class Candidates:
    """The best documents by text for some queries, q by DEPTH, best first; rows that are shorter end in page -1.

    places: in the pages of the index. scores: of the text, -inf where there is none. matches: how many matched, shape
    (q,). answers: the place of the right answer in the index, shape (q,).
    """

    places: IntArray
    scores: FloatArray
    matches: IntArray
    answers: IntArray

    def first(self, depth: int) -> Candidates:
        """Return only the best `depth` candidates."""
        return Candidates(self.places[:, :depth], self.scores[:, :depth], self.matches, self.answers)


class Item(Protocol):
    """A query with the page that is its one right answer."""

    @property
    def query(self) -> str:
        """The query."""

    @property
    def page(self) -> int:
        """The page that is its right answer."""


def without_names(boosts: Boosts) -> Boosts:
    """Return the boosts without that of the texts that name a page, so that they count among all words alone."""
    return {**boosts, NAMES: 0.0}


def candidates(
    terms: TermIndex, items: Sequence[Item], pages: IntArray, boosts: Boosts, depth: int = DEPTH
) -> Candidates:
    """Ask for every item: all words, or two thirds of them where fewer than ten pages have all."""
    shape = (len(items), depth)
    places, scores = np.full(shape, -1, np.int64), np.full(shape, -np.inf)
    matches = np.zeros(len(items), np.int64)
    for row, item in enumerate(items):
        query = understand(item.query, now=0.0, is_word=terms.has_words).terms
        hits = terms.best(query, boosts, depth)
        words = len(query.required)
        if hits.total < _ENOUGH_HITS and words > 1:
            relaxed = terms.best(replace(query, least_words=max(1, 2 * words // 3)), boosts, depth)
            hits = relaxed if relaxed.total > hits.total else hits
        places[row, : len(hits.pages)] = np.searchsorted(pages, hits.pages)
        scores[row, : len(hits.pages)] = hits.scores
        matches[row] = hits.total
    return Candidates(places, scores, matches, np.searchsorted(pages, [item.page for item in items]))


def positions(found: Candidates, parts: FloatArray | None = None, seed: int = 0) -> IntArray:
    """Return the places of the right answers, from 1, 0 if not among the candidates; shape (q,).

    `parts` is added to the score of each document of the index. Documents with equal scores are ordered at random:
    their numbers, the order in which a crawl found them, would be a hidden prior.
    """
    scores = found.scores if parts is None else found.scores + np.append(parts, 0.0)[found.places]
    tie_order = np.random.default_rng(seed).permutation(int(max(found.places.max(), found.answers.max())) + 2)
    is_answer = found.places == found.answers[:, None]
    is_found = is_answer.any(axis=1)
    own = np.where(is_found, np.where(is_answer, scores, -np.inf).max(axis=1), np.inf)[:, None]
    is_before = (scores > own) | ((scores == own) & (tie_order[found.places] < tie_order[found.answers][:, None]))
    return np.where(is_found, 1 + is_before.sum(axis=1), 0)


def tuned(found: Candidates, prior: FloatArray) -> RankWeights:
    """Return the weights with the best MRR on these queries among the best TUNED_DEPTH by text; the first of equals."""
    found = found.first(TUNED_DEPTH)
    best, best_mrr = RankWeights(0.0, 1.0, 1.0), float(reciprocal_rank(positions(found)).mean())
    for weight, half, exponent in product(WEIGHTS[1:], HALVES, EXPONENTS):
        weights = RankWeights(weight, half, exponent)
        mrr = float(reciprocal_rank(positions(found, rank_part(prior, weights))).mean())
        if mrr > best_mrr + 1e-9:
            best, best_mrr = weights, mrr
    return best


def field_scores(
    terms: TermIndex, items: Sequence[Item], pages: IntArray, pool: Candidates, parts: Mapping[str, Boosts]
) -> dict[str, FloatArray]:
    """Return the text scores of the candidates by some fields alone.

    `parts` maps names to the boosts of these fields; each result has shape (q, depth).
    """
    found = {name: np.zeros(pool.scores.shape) for name in parts}
    for row, item in enumerate(items):
        query = understand(item.query, now=0.0, is_word=terms.has_words).terms
        column_of = {int(pages[place]): column for column, place in enumerate(pool.places[row]) if place >= 0}
        for name, boosts in parts.items():
            for page, score in terms.scores_of(query, boosts, list(column_of)).items():
                found[name][row, column_of[page]] = score
    return found


def tuned_boosts(
    terms: TermIndex, items: Sequence[Item], pages: IntArray, boosts: Boosts, depth: int = TUNED_DEPTH
) -> Boosts:
    """Boosts of the fields with a better MRR on these queries, by coordinate ascent from `boosts`.

    Scores add up over fields, so each field is asked once, for the best `depth` documents of the boosts to begin with.
    """
    pool = candidates(terms, items, pages, boosts, depth)
    by_field = field_scores(terms, items, pages, pool, {field: {field: 1.0} for field in TEXT_FIELDS})
    chosen = dict(boosts)

    def mrr(tried: Mapping[str, float]) -> float:
        scores = sum(boost * by_field[field] for field, boost in tried.items())
        ranked = Candidates(pool.places, np.where(pool.places >= 0, scores, -np.inf), pool.matches, pool.answers)
        return float(reciprocal_rank(positions(ranked)).mean())

    best, is_moving = mrr(chosen), True
    while is_moving:
        is_moving = False
        for field, step in product(TEXT_FIELDS, BOOST_STEPS):
            tried = chosen | {field: chosen[field] * step}
            if (reached := mrr(tried)) > best + 1e-4:
                chosen, best, is_moving = tried, reached, True
    return chosen
