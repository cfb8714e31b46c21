"""What tells whether a sample is uniform, and what it is worth."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.lab.walks.diagnostics import (
    Bucket,
    by_age,
    by_degree,
    chi_square,
    effective_size,
    least_effective_size,
    size_by_weights,
)

PAGES = np.arange(8, dtype=np.int32)


def test_degrees_are_compared_in_buckets_that_double() -> None:
    degrees = np.array([0, 1, 2, 3, 4, 7, 8, 100], np.int32)
    buckets = by_degree(degrees, np.array([0, 0, 2, 7], np.int32), PAGES)
    assert [(each.low, each.high) for each in buckets] == [(0, 0), (1, 1), (2, 3), (4, 7), (8, 8), (100, 100)]
    assert [each.true for each in buckets] == [1 / 8, 1 / 8, 2 / 8, 2 / 8, 1 / 8, 1 / 8]
    assert [each.sampled for each in buckets] == [0.5, 0, 0.25, 0, 0, 0.25]
    assert buckets[0].ratio == 4


def test_ages_are_compared_in_buckets_of_equal_size_among_the_pages_within_reach() -> None:
    ages = np.array([70, 60, 50, 40, 30, 20, 10, 0], np.int32)
    buckets = by_age(ages, np.array([7, 7, 4, 5], np.int32), PAGES[4:], 2)
    assert buckets == [Bucket(0, 10, 0.5, 0.5), Bucket(20, 30, 0.5, 0.5)]


@pytest.mark.parametrize("statistic, freedom, p_value", [(3.84, 1, 0.05), (18.31, 10, 0.05), (23.21, 10, 0.01)])
def test_chi_square_has_the_probabilities_of_the_tables(statistic: float, freedom: int, p_value: float) -> None:
    share = 1 / (freedom + 1)
    size = 10_000.0
    shift = np.sqrt(statistic / size / (2 / share))
    buckets = [Bucket(i, i, share + (shift if i == 0 else -shift if i == 1 else 0), share) for i in range(freedom + 1)]
    found = chi_square(buckets, size)
    assert found.statistic == pytest.approx(statistic)
    assert found.freedom == freedom
    assert found.p_value == pytest.approx(p_value, abs=0.005)


def test_buckets_too_small_for_a_test_are_joined() -> None:
    buckets = [Bucket(0, 0, 0.5, 0.5), *(Bucket(i, i, 0.1, 0.1) for i in range(1, 6))]
    assert chi_square(buckets, 1000).freedom == 5
    assert chi_square(buckets, 20).freedom == 1  # the last two expect four, and join those before them
    assert chi_square(buckets, 1).freedom == 0
    assert chi_square(buckets, 1).p_value == 1


def test_pages_that_resemble_those_before_them_are_worth_less() -> None:
    rng = np.random.default_rng(1)
    independent = rng.random(5000)
    assert effective_size(independent) == pytest.approx(5000, rel=0.1)
    assert effective_size(np.repeat(independent[:500], 10)) == pytest.approx(500, rel=0.25)
    assert effective_size(np.ones(100)) == 1
    assert effective_size(np.ones(0)) == 0


def test_shares_are_worth_as_many_pages_as_the_walk_has_entered_a_bucket() -> None:
    """A walk that changes sides every hundred steps, between pages whose lowest digit is any."""
    rng = np.random.default_rng(4)
    values = (np.repeat(rng.integers(0, 2, 300), 100) * 10 + rng.integers(0, 10, 30_000)).astype(np.int32)
    halves = [Bucket(0, 9, float((values < 10).mean()), 0.5), Bucket(10, 19, float((values >= 10).mean()), 0.5)]
    assert least_effective_size(values, halves) == pytest.approx(300, rel=0.4)
    assert least_effective_size(values % 10, [Bucket(0, 4, 0.5, 0.5)]) > 20_000
    assert least_effective_size(values, [*halves, Bucket(20, 29, 0.0, 0.1)]) == least_effective_size(values, halves)
    assert least_effective_size(values[:0], []) == 0


def test_unequal_weights_are_worth_less() -> None:
    assert size_by_weights(np.ones(10)) == 10
    assert size_by_weights(np.array([1.0, 0, 0])) == 1
    assert size_by_weights(np.zeros(3)) == 0
