"""Power laws are recovered from random samples, and told apart from other laws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hinterland.lab.structure.goodness_of_fit import alternatives, goodness_of_fit
from hinterland.lab.structure.laws import in_units_of_the_least, law
from hinterland.lab.structure.power_law import ValueCounts, drawn, fitted

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("exponent, x_min", [(2.1, 1), (2.72, 1), (1.6, 3)])
def test_what_is_drawn_obeys_the_law(exponent: float, x_min: int) -> None:
    from scipy.special import zeta

    numbers = drawn(exponent, x_min, 200_000, np.random.default_rng(1))
    assert numbers.min() == x_min
    for value in (x_min + 1, 2 * x_min + 5, 100, 50_000):
        expected = zeta(exponent, value) / zeta(exponent, x_min)
        assert (numbers >= value).mean() == pytest.approx(expected, abs=4 * np.sqrt(expected / 200_000))


@pytest.mark.parametrize("exponent", [2.1, 2.72])
def test_exponents_are_found_within_their_intervals(exponent: float) -> None:
    rng = np.random.default_rng(3)
    within = 0
    for _ in range(40):
        found = fitted(ValueCounts.of(drawn(exponent, 1, 100_000, rng)))
        assert found is not None
        assert found.exponent == pytest.approx(exponent, abs=0.02)
        within += found.interval[0] <= exponent <= found.interval[1]
    assert within >= 35


def test_the_body_before_the_law_is_left_out() -> None:
    rng = np.random.default_rng(5)
    numbers = np.concatenate([rng.integers(1, 20, 20_000), drawn(2.5, 20, 20_000, rng)])
    found = fitted(ValueCounts.of(numbers))
    assert found is not None
    assert 18 <= found.x_min <= 40
    assert found.interval[0] < 2.5 < found.interval[1]
    assert found.tail == (numbers >= found.x_min).sum()


@given(st.integers(1, 50), st.floats(1.3, 4.0))
def test_no_other_exponent_is_likelier(x_min: int, exponent: float) -> None:
    from scipy.special import zeta

    tail = ValueCounts.of(drawn(exponent, x_min, 300, np.random.default_rng(2)))
    found = fitted(tail, x_min)
    if found is None:
        return

    def log_likelihood(alpha: float) -> float:
        return float(-(tail.counts * np.log(tail.values)).sum() * alpha - tail.size * np.log(zeta(alpha, x_min)))

    assert log_likelihood(found.exponent) >= max(
        log_likelihood(other) for other in (found.exponent - 0.01, found.exponent + 0.01) if other > 1
    )


def nearest(sample: ValueCounts) -> float:
    """The least distance of all laws that begin at a value of the sample."""
    laws = (fitted(sample, int(start)) for start in sample.values)
    return min(law.distance for law in laws if law is not None)


@given(st.integers(1, 30), st.floats(1.5, 4.0), st.integers(0, 3_000), st.integers(0, 2**32))
def test_the_law_begins_where_the_distance_is_least(x_min: int, exponent: float, others: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = np.concatenate([rng.geometric(0.05, others), drawn(exponent, x_min, 300, rng)])
    sample = ValueCounts.of(numbers[numbers <= 100])
    found = fitted(sample)
    if found is not None:
        assert found.distance == pytest.approx(nearest(sample), rel=1e-6)


@given(st.integers(1, 20), st.floats(1.5, 4.0), st.integers(0, 2**32))
def test_the_distance_is_taken_over_every_whole_number(x_min: int, exponent: float, seed: int) -> None:
    numbers = drawn(exponent, x_min, 100, np.random.default_rng(seed))
    numbers = numbers[numbers < 1_000]
    found = fitted(ValueCounts.of(numbers), x_min)
    if found is not None:
        every = np.arange(x_min, numbers.max() + 2, dtype=np.float64)
        at_least = np.array([(numbers >= value).mean() for value in every])
        assert found.distance == pytest.approx(np.abs(at_least - found.survival(every)).max(), rel=1e-9)


@pytest.mark.parametrize("bend", [30, 300])
def test_a_law_that_bends_far_out_begins_before_the_bend_if_it_is_nearest_there(bend: int) -> None:
    rng = np.random.default_rng(7)
    early = drawn(2.0, 1, 200_000, rng)
    sample = ValueCounts.of(np.concatenate([early[early < bend], drawn(2.9, bend, int((early >= bend).sum()), rng)]))
    found = fitted(sample)
    assert found is not None
    assert found.distance == pytest.approx(nearest(sample), rel=1e-9)


def test_too_few_values_have_no_law() -> None:
    assert fitted(ValueCounts.of(np.arange(1, 40))) is None
    assert fitted(ValueCounts.of(np.full(1_000, 7))) is None
    assert fitted(ValueCounts.of(np.zeros(1_000, np.int64))) is None
    nothing = law(np.zeros(3, np.int64), np.random.default_rng(1))
    assert (nothing.power_law, nothing.points, nothing.is_plausible) == (None, (), False)


LAWS: dict[str, Callable[[np.random.Generator], NDArray[np.integer]]] = {
    "log-normal": lambda rng: np.round(rng.lognormal(1.0, 1.0, 30_000)).astype(np.int64),
    "exponential": lambda rng: rng.geometric(0.1, 30_000),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_law_that_was_drawn_is_likelier_than_a_power_law(name: str) -> None:
    sample = ValueCounts.of(LAWS[name](np.random.default_rng(1)))
    found = fitted(sample, 1)
    assert found is not None
    other = next(each for each in alternatives(sample, found) if each.name == name)
    assert other.log_ratio < 0
    assert other.p_value < 1e-6


def test_a_cut_off_is_noticed_and_none_is_invented() -> None:
    rng = np.random.default_rng(1)
    whole = drawn(2.2, 1, 30_000, rng)
    kept = whole[rng.random(len(whole)) < np.exp(-0.02 * whole)]
    for numbers, is_cut in ((whole, False), (kept, True)):
        sample = ValueCounts.of(numbers)
        found = fitted(sample, 1)
        assert found is not None
        truncated = alternatives(sample, found)[-1]
        assert truncated.name == "truncated power law"
        assert (truncated.p_value < 1e-3) is is_cut


def test_the_goodness_of_fit_rules_out_what_is_no_power_law() -> None:
    rng = np.random.default_rng(1)
    numbers = drawn(2.3, 2, 3_000, rng)
    sample = ValueCounts.of(numbers)
    good = fitted(sample)
    assert good is not None
    assert goodness_of_fit(sample, good, rng, samples=40).p_value >= 0.1
    others = ValueCounts.of(rng.poisson(30, 3_000) + 1)
    bad = fitted(others, 1)
    assert bad is not None
    verdict = goodness_of_fit(others, bad, rng, samples=40)
    assert (verdict.p_value, verdict.samples) == (0.0, 20)


def test_a_law_has_points_from_all_values_to_the_largest() -> None:
    found = law(drawn(2.1, 1, 20_000, np.random.default_rng(1)), np.random.default_rng(1))
    assert found.points[0] == (1.0, 1.0)
    assert found.points[-1] == pytest.approx((found.largest, 1 / 20_000))
    assert found.is_plausible


def test_units_of_the_least_are_whole_numbers() -> None:
    assert in_units_of_the_least(np.array([0.2, 0.1, 0.36])).tolist() == [2, 1, 4]
