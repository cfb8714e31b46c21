"""Distances between rankings, by hand and against scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.analysis.estimates.rank_distances import kendall_tau, rank_distance

pytestmark = pytest.mark.slow


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=60))
def test_kendalls_tau_is_that_of_scipy_with_ties_on_both_sides(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import kendalltau

    first, second = (np.array(side, float) for side in zip(*pairs, strict=True))
    expected = kendalltau(first, second, variant="b").statistic
    assert kendall_tau(first, second) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_kendalls_tau_of_many_pages_is_that_of_scipy() -> None:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(7)
    first = rng.normal(size=5000)
    second = first + rng.normal(size=5000)
    assert kendall_tau(first, second) == pytest.approx(kendalltau(first, second).statistic, abs=1e-12)


def test_kendalls_tau_is_one_for_the_same_order_and_minus_one_for_the_opposite() -> None:
    values = np.array([3.0, 1.0, 2.0, 8.0])
    assert kendall_tau(values, values**3) == 1
    assert kendall_tau(values, -values) == -1


def test_distances_are_those_computed_by_hand() -> None:
    # Pairs: (0,1) alike, (0,2) alike, (1,2) opposite: τ = (2 - 1) / 3.
    found = rank_distance(np.array([0.5, 0.2, 0.3]), np.array([0.6, 0.3, 0.1]))
    assert found.l1 == pytest.approx(0.4)
    assert found.linf == pytest.approx(0.2)
    assert found.tau == pytest.approx(1 / 3)


def test_ranks_that_differ_by_less_than_the_error_of_the_iteration_are_tied() -> None:
    truth = np.array([0.25, 0.25, 0.5])
    assert rank_distance(truth + np.array([1e-10, -1e-10, 0]), truth).tau == 1


def test_tau_is_undefined_where_one_side_ties_all_pages() -> None:
    assert math.isnan(rank_distance(np.full(4, 0.25), np.array([0.1, 0.2, 0.3, 0.4])).tau)


def test_rankings_of_different_pages_are_not_compared() -> None:
    with pytest.raises(ValueError, match=r"\(2,\)"):
        rank_distance(np.full(2, 0.5), np.full(3, 1 / 3))
    with pytest.raises(ValueError, match=r"\(3,\)"):
        kendall_tau(np.zeros(3), np.zeros(2))
