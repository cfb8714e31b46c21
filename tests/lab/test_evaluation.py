"""Means, wins and ratios of an experiment, by hand."""

from __future__ import annotations

from dataclasses import astuple
from math import isnan

import pytest

from hinterland.analysis.estimates.rank_distances import RankDistance
from hinterland.lab.evaluation import ALL, Evaluation, Strategy, Trial, halves_of

OLD, OTHER, NEW = Strategy("flow", "crawled-graph"), Strategy("random", "crawled-graph"), Strategy("ours", "new")
L1 = {
    "w": {OLD: 0.4, OTHER: 0.1, NEW: 0.05},
    "x": {OLD: 0.1, OTHER: 0.4, NEW: 0.2},
    "y": {OLD: 0.2, OTHER: 0.2, NEW: 0.2},
    "z": {OLD: 0.0005, OTHER: 0.3, NEW: 0.4},
}


def evaluation(solved_below: float = 0.001) -> Evaluation:
    trials = [
        Trial(name, 1.0, strategy, [RankDistance(l1 / 2, l1, 0.0), RankDistance(l1 * 1.5, l1, 0.0)], 10)
        for name, of_domain in L1.items()
        for strategy, l1 in of_domain.items()
    ]
    return Evaluation(trials, {OLD, OTHER, Strategy("absent", "crawled-graph")}, solved_below)


def test_domains_that_the_best_published_strategy_solves_are_left_out() -> None:
    assert evaluation().solved == ["z"]
    assert evaluation(0).solved == []


def test_means_are_geometric_and_ratios_are_to_the_best_published_strategy() -> None:
    found = {each.strategy: each for each in evaluation().summaries(1.0)}
    assert found[OLD].means[ALL] == pytest.approx(0.2)
    assert found[OTHER].means[ALL] == pytest.approx(0.2)
    assert found[NEW].means[ALL] == pytest.approx(0.002 ** (1 / 3))
    assert found[NEW].to_best[ALL] == pytest.approx(0.002 ** (1 / 3) / 0.2)
    assert next(iter(found)) == NEW


def test_the_oracle_knows_the_best_published_strategy_on_each_domain() -> None:
    found = {each.strategy: each.worst_to_oracle for each in evaluation().summaries(1.0)}
    assert astuple(found[NEW]) == (pytest.approx(2.0), "x")
    assert astuple(found[OLD]) == (pytest.approx(4.0), "w")


def test_the_best_published_strategy_is_the_same_one_on_every_domain() -> None:
    found = {each.strategy: each.worst_to_best for each in evaluation(0).summaries(1.0)}
    assert found[OLD].ratio == 1.0
    assert astuple(found[OTHER]) == (pytest.approx(600.0), "z")
    assert astuple(found[NEW]) == (pytest.approx(800.0), "z")


def test_a_tie_is_a_win_for_all_and_the_published_also_compete_alone() -> None:
    found = {each.strategy: (each.wins, each.published_wins) for each in evaluation().summaries(1.0)}
    assert found == {OLD: (2, 2), OTHER: (1, 2), NEW: (2, None)}


def test_the_mean_of_a_half_is_over_its_domains() -> None:
    found = evaluation(0)
    names = [name for name, half in found.halves.items() if half == "A"]
    assert len(names) == 2
    product = L1[names[0]][NEW] * L1[names[1]][NEW]
    assert found.geometric_mean(1.0, NEW, "A") == pytest.approx(product**0.5)


def test_halves_alternate_in_an_order_that_depends_on_names_alone() -> None:
    names = [f"domain {number}" for number in range(20)]
    halves = halves_of(names)
    assert halves == halves_of(reversed(names))
    assert list(halves.values()).count("A") == 10
    assert [halves[name] for name in names] != ["A", "B"] * 10


def test_without_published_strategies_there_are_no_ratios_and_nothing_is_solved() -> None:
    trials = [Trial("x", 1.0, NEW, [RankDistance(0.0, 0.0, 0.0)], 10)]
    found = Evaluation(trials, [], 0.001)
    assert found.solved == []
    (summary,) = found.summaries(1.0)
    assert summary.wins == 1
    for worst in (summary.worst_to_best, summary.worst_to_oracle):
        assert isnan(worst.ratio)
    assert found.geometric_mean(1.0, NEW, "B") is None
