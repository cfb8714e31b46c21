"""A few answers tell where the bar lies, and how right and how complete the pages above it are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.topics.model.answered_bar import (
    AnsweredBar,
    PrecisionCurves,
    places_of,
    places_to_ask,
)


@given(st.integers(1, 100_000), st.integers(1, 50), st.integers(0, 99))
def test_places_are_distinct_and_those_of_likely_pages_lie_closer(pages: int, questions: int, seed: int) -> None:
    places = places_to_ask(pages, questions, np.random.default_rng(seed))
    assert 1 <= len(places) <= questions
    assert len(set(places)) == len(places)
    assert 0 <= min(places) <= max(places) < pages
    if pages > 10_000 and questions >= 10:
        assert sum(place < 0.1 * pages for place in places) > questions / 2


def answered(share: float, seed: int) -> tuple[AnsweredBar, float, float]:
    """The bar of a web by twenty right answers, and the true precision and recall."""
    rng = np.random.default_rng(seed)
    is_about = np.arange(3_000) < share * 3_000
    scores = np.where(is_about, rng.normal(3, 1.2, 3_000), rng.normal(0, 1, 3_000))
    order = np.argsort(-scores)
    places = places_to_ask(len(scores), 20, rng)
    found = PrecisionCurves(scores).bar(places, is_about[order[places]])
    above = scores >= found.bar.log_odds
    right = float((above & is_about).sum())
    return found, right / above.sum(), right / is_about.sum()


@pytest.mark.slow
def test_twenty_answers_bring_the_bar_near_the_best_whatever_the_share() -> None:
    for share in (0.02, 0.05, 0.2, 0.4):
        found, precision, recall = answered(share, 1)
        assert 2 * precision * recall / (precision + recall) > 0.6
        assert share / 2.5 < found.bar.share < share * 2.5


@pytest.mark.slow
def test_intervals_contain_the_true_precision_and_recall_in_most_webs() -> None:
    within = []
    for seed in range(8):
        found, *true = answered(0.08, seed)
        pairs = zip((found.precision, found.recall), true, strict=True)
        within += [each.low - 0.01 <= value <= each.high + 0.01 for each, value in pairs]
    assert np.mean(within) >= 0.75


def test_without_any_yes_few_pages_are_relevant_and_little_is_promised() -> None:
    scores = np.random.default_rng(1).normal(size=1_000)
    found = PrecisionCurves(scores).bar(places_to_ask(1_000, 20, np.random.default_rng(1)), np.zeros(20, np.bool_))
    assert found.bar.share < 0.02
    assert found.precision.value < 0.4
    assert found.precision.low < 0.1


def test_questions_near_the_bar_are_about_pages_between_which_it_lies() -> None:
    scores = np.random.default_rng(1).normal(size=2_000)
    curves = PrecisionCurves(scores)
    places = np.arange(0, 400, 10)
    answers = places < 200
    near = [curves.place_near_bar(places.tolist(), answers, np.random.default_rng(seed)) for seed in range(50)]
    assert len(set(near)) > 30
    assert all(70 <= place <= 600 for place in near)
    assert near[:5] == [
        curves.place_near_bar(places.tolist(), answers, np.random.default_rng(seed)) for seed in range(5)
    ]


def test_before_many_answers_the_usual_share_is_more_likely_than_half_of_the_pages() -> None:
    curves = PrecisionCurves(np.random.default_rng(2).normal(size=3_000))
    assert curves.bar([0], np.array([True])).bar.share < 0.4
    assert curves.bar([10, 30, 100], np.array([True, True, False])).bar.share < 0.3


@pytest.mark.slow
def test_recall_of_a_rare_topic_is_not_said_far_too_low() -> None:
    webs = [answered(0.03, seed) for seed in range(8)]
    assert abs(np.mean([found.recall.value - recall for found, _, recall in webs])) < 0.15
    assert np.mean([found.recall.high - found.recall.low for found, _, _ in webs]) < 0.8


def test_relevant_pages_that_look_like_all_others_lower_the_recall_that_is_expected() -> None:
    rng = np.random.default_rng(2)
    scores = np.sort(np.concatenate((rng.normal(5, 0.5, 100), rng.normal(size=2_900))))[::-1]
    places = [*range(5, 100, 10), *range(500, 3_000, 250)]
    none_below = np.array(places) < 100
    one_below = none_below | (np.array(places) == 2_000)
    curves = PrecisionCurves(scores)
    assert curves.bar(places, one_below).recall.value < curves.bar(places, none_below).recall.value - 0.1


def test_a_place_is_the_number_of_pages_that_are_likelier() -> None:
    scores = np.array([-1.0, 3.0, 0.0, 2.0])
    assert places_of(np.array([5.0, 2.5, 2.0, 0.5, -7.0]), scores) == [0, 1, 1, 2, 3]
