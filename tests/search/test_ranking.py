"""Text and PageRank in one score, and the best of all pages without scoring all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search.ranking import IndexedRanks, RankedHits, RankWeights, best, followed_by, rank_part
from hinterland.search.store.values.arrays import FloatArray, LongArray
from hinterland.search.store.values.term_query import TextHits


def ranks(by_page: dict[int, float]) -> IndexedRanks:
    pages = np.array(sorted(by_page), np.int64)
    return IndexedRanks(pages, np.array([by_page[page] for page in pages.tolist()], np.float64))


def pages(*numbers: int) -> LongArray:
    return np.array(numbers, np.int64)


# --- PageRank -----------------------------------------------------------------------------------


def test_ranks_are_multiples_of_the_average() -> None:
    known = ranks({7: 0.2, 3: 0.6, 5: 0.1, 4: 0.1})
    assert len(known) == 4
    assert known.of(pages(3, 4, 5, 7)).tolist() == pytest.approx([2.4, 0.4, 0.4, 0.8])


def test_pages_without_a_rank_have_none_wherever_their_number_lies() -> None:
    known = ranks({3: 0.5, 9: 0.5})
    assert known.of(pages(0, 3, 5, 9, 10, 2**62)).tolist() == [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]
    assert ranks({}).of(pages(1, 2)).tolist() == [0.0, 0.0]
    assert ranks({1: 0.0, 2: 0.0}).of(pages(1, 2)).tolist() == [0.0, 0.0]


def test_the_part_of_the_rank_is_what_the_formula_gives_by_hand() -> None:
    weights = RankWeights(weight=2.0, half=4.0, exponent=0.5)
    # S = 16: 2 · 4 / (2 + 4); S = 4 = k: half of w; S = 0: nothing
    assert rank_part(np.array([16.0, 4.0, 0.0, 1.0]), weights).tolist() == pytest.approx([4 / 3, 1.0, 0.0, 2 / 3])


@pytest.mark.slow
@given(
    st.lists(st.floats(0, 1e9), min_size=2, max_size=20),
    st.builds(RankWeights, st.floats(0, 100), st.floats(1e-6, 1e6), st.floats(0.01, 10)),
)
def test_more_pagerank_never_counts_less_and_never_more_than_the_weight(
    values: list[float], weights: RankWeights
) -> None:
    parts = rank_part(np.sort(np.array(values)), weights)
    assert np.isfinite(parts).all()
    assert (np.diff(parts) >= -1e-12 * weights.weight).all()
    assert (parts >= 0).all()
    assert (parts <= weights.weight).all()


# --- the best of all ----------------------------------------------------------------------------


def by_text(numbers: LongArray, scores: FloatArray) -> Callable[[int], TextHits]:
    """An index that finds these pages, the best first, those with one score in the order they are given."""
    order = np.argsort(-scores, kind="stable")

    def asked(count: int) -> TextHits:
        return TextHits(numbers[order[:count]], scores[order[:count]], len(numbers))

    return asked


SCORES = st.one_of(st.floats(0, 50, width=32), st.sampled_from([1.0, 2.0, 3.0]))
MATCHES = st.dictionaries(st.integers(0, 500), st.tuples(SCORES, st.sampled_from([0.0, 0.1, 1.0, 1.0, 5.0, 1000.0])))
WEIGHTS = st.builds(RankWeights, st.sampled_from([0.0, 0.5, 1.0, 30.0]), st.just(1.0), st.just(0.6))


@pytest.mark.slow
@given(MATCHES, WEIGHTS, st.integers(1, 30), st.integers(1, 8), st.integers(1, 60))
def test_the_loop_finds_what_scoring_every_page_finds(
    matches: dict[int, tuple[float, float]], weights: RankWeights, limit: int, first: int, most: int
) -> None:
    numbers = np.array(list(matches), np.int64)
    scores = np.array([text for text, _ in matches.values()], np.float64)
    known = ranks({page: rank for page, (_, rank) in matches.items()})
    found = best(by_text(numbers, scores), known, weights, limit, first=first, most=most)
    all_scores = np.sort(scores + rank_part(known.of(numbers), weights))[::-1]
    assert found.total == len(matches)
    assert len(set(found.pages.tolist())) == len(found.pages) == min(limit, len(matches))
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    if found.is_exact:
        assert found.scores.tolist() == all_scores[:limit].tolist()
    if most >= len(matches):
        assert found.is_exact or len(matches) == most
    for page, score in zip(found.pages.tolist(), found.scores.tolist(), strict=True):
        text, _ = matches[page]
        assert score == text + rank_part(known.of(pages(page)), weights)[0]


@pytest.mark.slow
@given(MATCHES, WEIGHTS, st.integers(1, 8), st.integers(1, 60))
def test_a_longer_list_begins_with_the_shorter_one(
    matches: dict[int, tuple[float, float]], weights: RankWeights, first: int, most: int
) -> None:
    asked = by_text(np.array(list(matches), np.int64), np.array([text for text, _ in matches.values()], np.float64))
    known = ranks({page: rank for page, (_, rank) in matches.items()})
    lists = [
        best(asked, known, weights, limit, first=first, most=max(most, 40)).pages.tolist() for limit in range(1, 40)
    ]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(lists))


def flat_scores(count: int, **options: int) -> tuple[RankedHits, list[int]]:
    """What is found among pages that differ in PageRank only, and how many were asked for."""
    asked: list[int] = []
    find = by_text(np.arange(count), np.ones(count))

    def counting(number: int) -> TextHits:
        asked.append(number)
        return find(number)

    known = ranks({page: float(page == count - 1) for page in range(count)})
    return best(counting, known, RankWeights(1.0, 1.0, 0.6), 10, **options), asked


def test_thirty_two_times_as_many_are_asked_for_until_no_other_can_be_better() -> None:
    hits, asked = flat_scores(1_000, first=20, most=5_000)
    assert asked == [20, 640, 5_000]
    assert (hits.is_exact, hits.pages[0]) == (True, 999)


def test_at_the_cap_it_is_said_that_the_order_may_not_be_exact() -> None:
    hits, asked = flat_scores(1_000, first=20, most=100)
    assert asked == [20, 100]
    assert not hits.is_exact
    assert hits.pages.tolist() == list(range(10))


def test_clear_text_scores_need_one_look() -> None:
    find = by_text(np.arange(100), np.linspace(100, 1, 100))
    hits = best(find, ranks({}), RankWeights(1.0, 1.0, 0.6), 5, first=20, most=100)
    assert hits.is_exact
    assert hits.pages.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("limit, is_exact", [(1, True), (2, True), (3, False), (20, False)])
def test_one_list_follows_another_and_both_count(limit: int, is_exact: bool) -> None:
    def listed(numbers: LongArray, total: int, *, is_exact: bool) -> RankedHits:
        values = numbers.astype(np.float64)
        return RankedHits(numbers, values + 0.5, values + 0.25, values + 0.125, total, is_exact)

    first, others = listed(pages(7, 3), 2, is_exact=True), listed(pages(9, 8, 5), 40, is_exact=False)
    both = followed_by(first, others, limit)
    assert both.pages.tolist() == [7, 3, 9, 8, 5][:limit]
    assert (both.total, both.is_exact) == (42, is_exact)
    for values, added in ((both.text_scores, 0.5), (both.ranks, 0.25), (both.rank_parts, 0.125)):
        assert (values - both.pages == added).all()


def test_nothing_found_is_exact() -> None:
    hits = best(by_text(np.empty(0, np.int64), np.empty(0)), ranks({1: 1.0}), RankWeights(1, 1, 1), 5, first=9, most=9)
    assert (hits.is_exact, hits.total, hits.pages.tolist()) == (True, 0, [])


def test_the_weight_is_a_bound_that_rounding_does_not_break() -> None:
    parts = rank_part(np.array([1e300, math.inf]), RankWeights(1.7, 1e-6, 10.0))
    assert parts.tolist() == [1.7, 1.7]
