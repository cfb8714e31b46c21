"""The rule by which the constants of `return-flow` were chosen."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from benchmarks.choice import SAME_SCORE, Result, Variant, chosen, varied
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates import outside_model, similarity_weights
from hinterland.analysis.link_log import LinkLog
from hinterland.analysis.sampling import sampling_numbers


def with_score(variant: Variant, score: float) -> Result:
    return Result(variant, {(1.0, "a"): score}, {(1.0, "a"): 0.0})


def test_each_constant_in_turn_goes_to_its_best_value() -> None:
    best = replace(Variant(), clicks=10, sampled=0.2, inlinks=0.5)

    def results(variant: Variant) -> Result:
        distance = abs(variant.sampled - best.sampled) + abs(variant.inlinks - best.inlinks)
        distance += variant.clicks != best.clicks
        return with_score(variant, distance)

    assert chosen(results) == best


def test_a_gain_that_is_too_small_changes_nothing() -> None:
    gain = 0.9 * SAME_SCORE
    assert chosen(lambda variant: with_score(variant, -gain * (variant.clicks == 10))) == Variant()


def test_falling_far_behind_the_best_published_strategy_costs_more_than_it_can_gain() -> None:
    l1 = {(1.0, "a"): log(0.1), (2.0, "a"): log(0.1)}
    level = Result(Variant(), l1, {(1.0, "a"): log(1.05), (2.0, "a"): log(0.5)})
    behind = Result(Variant(), {**l1, (2.0, "a"): log(0.05)}, {(1.0, "a"): log(1.15), (2.0, "a"): log(0.5)})
    assert exp(level.score) == pytest.approx(0.1)
    assert behind.score > level.score


def crawled_at_random_and_by_choice() -> CrawledGraph:
    """One local page that links to a thousand outside, of which sixty chosen and sixty drawn at random are crawled."""
    outside = np.arange(1, 1001, dtype=np.int32)
    links = LinkLog()
    links.append(0, outside)
    for page in {*range(1, 61), *outside[np.argsort(sampling_numbers(outside))[:60]].tolist()}:
        links.append(page, np.array([0], np.int32))
    return links.snapshot(np.arange(1001) == 0, np.zeros(1001, np.int32))


def test_a_variant_changes_the_product_only_while_it_is_tried() -> None:
    prior, weights_of = similarity_weights._PRIOR.copy(), outside_model._model_weights
    with varied(replace(Variant(), kinds="class", sampled=0.2, chosen=0.25)):
        assert similarity_weights._PRIOR.tolist() == [1, 0, 0, 0]
        weights = outside_model._model_weights(crawled_at_random_and_by_choice())
        assert set(weights.tolist()) == {0.0, 0.25, 1.0}
    assert (prior == similarity_weights._PRIOR).all()
    assert outside_model._model_weights is weights_of
