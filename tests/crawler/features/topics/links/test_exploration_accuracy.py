"""What the exploration sample says about predictions, and about what is left."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.topics.links.exploration_accuracy import Proportion, exploration_accuracy, ordered
from hinterland.crawler.features.topics.links.exploration_sample import Draw


def draws(*of: tuple[float, float], turn: int = 10_000) -> list[Draw]:
    """(predicted, relevance) each."""
    return [Draw(page, predicted, relevance, relevance, turn) for page, (predicted, relevance) in enumerate(of)]


@pytest.mark.parametrize(
    "hits, count, low, high", [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)]
)
def test_a_share_has_the_interval_of_wilson(hits: int, count: int, low: float, high: float) -> None:
    """The last is Newcombe's example (1998)."""
    assert Proportion.of(hits, count).interval == pytest.approx((low, high), abs=1e-4)


def test_of_nothing_nothing_is_known() -> None:
    assert Proportion.of(0, 0).interval == (0.0, 1.0)


def test_predictions_are_in_order_as_far_as_relevant_pages_had_higher_ones() -> None:
    found = ordered(np.array([0.9, 0.5]), np.array([0.1, 0.5, 0.7]))
    assert found is not None
    assert found.count == 6
    assert found.value == pytest.approx(4.5 / 6)
    assert found.interval[0] < found.value < found.interval[1]


def test_two_pages_in_order_are_no_proof() -> None:
    found = ordered(np.array([0.9]), np.array([0.1]))
    assert found is not None
    assert found.value == 1.0
    assert found.interval[0] < 0.3
    assert found.interval[1] == pytest.approx(1.0)


def test_the_interval_of_the_order_holds_19_times_in_20() -> None:
    rng = np.random.default_rng(0)
    true, inside = 0.7602499389, 0  # Φ(1/√2)
    for _ in range(400):
        found = ordered(rng.normal(1.0, 1.0, 6), rng.normal(0.0, 1.0, 60))
        assert found is not None
        inside += found.interval[0] <= true <= found.interval[1]
    assert 0.92 <= inside / 400 <= 0.99


def test_what_is_left_is_estimated_by_draws_that_their_prediction_would_not_have_brought() -> None:
    reached, unreached = draws((0.9, 1.0), (0.8, 1.0), turn=50), draws((0.2, 1.0), *[(0.1, 0.0)] * 9, turn=500)
    found = exploration_accuracy([*reached, *unreached], visits=100, relevant=60, waiting=400)
    assert found is not None
    assert found.left == Proportion.of(1, 10)
    assert found.found.value == pytest.approx(60 / (60 + 40))
    low, high = found.found.interval
    assert low == pytest.approx(60 / (60 + 400 * found.left.interval[1]))
    assert high == pytest.approx(60 / (60 + 400 * found.left.interval[0]))


def test_it_says_how_far_predictions_came_true() -> None:
    found = exploration_accuracy(draws((0.9, 1.0), (0.7, 0.0), (0.1, 0.0), (0.3, 0.6)), visits=4, relevant=2, waiting=0)
    assert found is not None
    assert found.precision == Proportion.of(1, 2)
    assert found.relevant == Proportion.of(2, 4)
    assert (found.promised, found.worth) == pytest.approx((0.5, 0.4))
    assert found.worth_interval[0] < 0.4 < found.worth_interval[1]


def test_without_draws_it_says_nothing_and_without_a_relevant_page_nothing_of_the_order() -> None:
    assert exploration_accuracy([], visits=5, relevant=1, waiting=9) is None
    found = exploration_accuracy(draws((0.2, 0.0)), visits=5, relevant=0, waiting=0)
    assert found is not None
    assert found.ordered is None
    assert found.found.value == 0.0
