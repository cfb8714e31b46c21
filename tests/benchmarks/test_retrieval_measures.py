"""Measures of known-item search, by hand and against what statistics promises."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.retrieval_measures import MEASURES, compare, mean_interval, ndcg, reciprocal_rank, success

POSITIONS = np.array([1, 2, 0, 10, 11])


def own(positions: NDArray[Any]) -> NDArray[np.int64]:
    return np.arange(len(positions))


def test_an_answer_counts_by_the_inverse_of_its_position() -> None:
    assert reciprocal_rank(POSITIONS).tolist() == pytest.approx([1, 1 / 2, 0, 1 / 10, 1 / 11])


def test_gain_falls_with_the_logarithm_and_ends_at_the_depth() -> None:
    assert ndcg(POSITIONS, 10).tolist() == pytest.approx([1, 1 / log2(3), 0, 1 / log2(11), 0])


def test_success_is_being_among_the_first() -> None:
    assert success(POSITIONS, 1).tolist() == [1, 0, 0, 0, 0]
    assert success(POSITIONS, 10).tolist() == [1, 1, 0, 1, 0]


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_prefers_a_better_position_and_gives_nothing_for_none(name: str) -> None:
    values = MEASURES[name](np.array([1, 5, 50, 0]))
    assert values.tolist() == sorted(values.tolist(), reverse=True)
    assert values[0] == 1
    assert values[3] == 0


def test_the_interval_holds_the_mean_and_is_the_one_of_the_normal_law_for_many_queries() -> None:
    values = np.random.default_rng(1).random(2000)
    found = mean_interval(values, own(values))
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert found.mean == values.mean()
    assert (found.low, found.high) == pytest.approx((found.mean - half, found.mean + half), abs=half / 10)


def test_queries_of_one_cluster_count_as_one_draw() -> None:
    values = np.random.default_rng(1).random(200)
    repeated = np.repeat(values, 10)
    single = mean_interval(values, own(values))
    clustered = mean_interval(repeated, np.repeat(own(values), 10))
    naive = mean_interval(repeated, own(repeated))
    assert (clustered.low, clustered.high) == pytest.approx((single.low, single.high))
    assert naive.high - naive.low < 0.5 * (clustered.high - clustered.low)


def test_equal_rankings_do_not_differ() -> None:
    values = reciprocal_rank(POSITIONS)
    found = compare(values, values, own(values))
    assert (found.difference.mean, found.p, found.wins, found.losses) == (0, 1, 0, 0)


def test_a_ranking_that_wins_everywhere_differs_by_more_than_chance() -> None:
    values = np.linspace(0, 0.5, 40)
    found = compare(values + 0.1, values, own(values))
    assert found.difference.low == pytest.approx(0.1)
    assert found.p < 0.001
    assert (found.wins, found.losses) == (40, 0)


def test_all_signs_of_a_few_queries_give_the_exact_probability() -> None:
    # With three equal differences, two of the eight patterns of signs are as large: p = 1/4.
    found = compare(np.ones(3), np.zeros(3), np.arange(3))
    assert found.p == pytest.approx(1 / 4, abs=0.02)


def test_chance_is_called_significant_as_often_as_the_level_says() -> None:
    generator = np.random.default_rng(2)
    results = [compare(generator.random(30), generator.random(30), np.arange(30), draws=400).p for _ in range(300)]
    assert np.mean(np.array(results) < 0.05) == pytest.approx(0.05, abs=0.035)


def test_nothing_to_measure_is_an_error() -> None:
    with pytest.raises(ValueError, match="no queries"):
        mean_interval(np.array([]), np.array([], np.int64))
    with pytest.raises(ValueError, match="not parallel"):
        mean_interval(np.ones(3), np.arange(2))
