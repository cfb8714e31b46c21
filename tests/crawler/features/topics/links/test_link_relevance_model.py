"""What a learner makes of links whose ends were visited."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.features.topics.links.link_relevance_model import LinkRelevanceModel, log_odds_of, probabilities
from tests.support.link_features import features_of

UNTRAINED = LinkRelevanceModel.untrained(np.array([0.5]), -1.0)
NOTHING = np.zeros((0, 1))


def test_without_an_example_it_stays_what_it_was() -> None:
    trained = UNTRAINED.trained(features_of([]), NOTHING, np.zeros(0), np.zeros(0))
    assert not trained.weights.any()
    assert trained.coefficients.tolist() == [0.5]
    assert trained.intercept == -1.0


def test_a_feature_of_links_that_led_to_something_speaks_for_others_that_have_it() -> None:
    links = features_of([[1, 5], [1, 6], [2, 5], [2, 6]] * 10)
    outcomes = np.array([1.0, 1.0, 0.0, 0.0] * 10)
    trained = UNTRAINED.trained(links, np.zeros((40, 1)), outcomes, np.ones(40))
    good, bad, unknown = probabilities(trained.log_odds(features_of([[1], [2], [3]]), np.zeros((3, 1)))).tolist()
    assert good > 0.7
    assert bad < 0.2
    assert bad < unknown < good
    assert abs(trained.weights[5]) < trained.weights[1] / 2
    assert trained.weights[3] == 0.0


def test_numbers_are_learnt_as_features_are() -> None:
    numbers = np.array([[1.0], [-1.0]] * 20)
    trained = UNTRAINED.trained(features_of([[]] * 40), numbers, np.array([0.0, 1.0] * 20), np.ones(40))
    assert trained.coefficients[0] < 0.0


def test_examples_of_no_importance_teach_nothing() -> None:
    links = features_of([[1]] * 20)
    trained = UNTRAINED.trained(links, np.zeros((20, 1)), np.ones(20), np.zeros(20))
    assert trained.weights[1] == 0.0


def test_the_same_examples_make_the_same_model() -> None:
    rng = np.random.default_rng(3)
    links = features_of(rng.integers(0, 1000, (50, 8)).tolist())
    numbers, outcomes = rng.normal(size=(50, 1)), rng.random(50)
    first, second = (UNTRAINED.trained(links, numbers, outcomes, np.ones(50)) for _ in range(2))
    assert (first.weights == second.weights).all()
    assert (first.coefficients, first.intercept) == (second.coefficients, second.intercept)


def test_probabilities_and_log_odds_stay_finite_at_both_ends() -> None:
    assert np.isfinite(log_odds_of(np.array([0.0, 1.0]))).all()
    none, half, all_of_it = probabilities(np.array([-1e9, 0.0, 1e9])).tolist()
    assert 0.0 < none < 1e-9
    assert half == 0.5
    assert 1.0 - 1e-9 < all_of_it <= 1.0
