"""Random walks: their steps, and where they are in the long run."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import FloatArray, Graph
from hinterland.analysis.pagerank import pagerank
from hinterland.lab.models.configuration import ConfigurationModel
from hinterland.lab.walks.graph_walk import GraphWalk
from hinterland.lab.walks.walk import Walk, WalkRule

RULES = {
    "loops": WalkRule(),
    "regular": WalkRule(degree_bound=6),
    "visited": WalkRule(jump=0.2),
    "all": WalkRule(jump=0.2, jumps_to_all=True),
}
# 4 is a dead end, found from 3 alone.
GRAPH = Graph.from_links([0, 0, 1, 2, 2, 3, 3], [1, 2, 0, 0, 3, 4, 0], 5)


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_walk_given_the_neighbours_of_one_page_at_a_time_takes_the_same_steps(rule: WalkRule) -> None:
    graph = ConfigurationModel(least_outdegree=1).draw(200, 3).graph
    rule = WalkRule(rule.both_ways, rule.degree_bound and 100, rule.jump, rule.jumps_to_all)
    compiled = GraphWalk(graph, rule, 7, 11)
    walk = Walk(rule, 7, 11, lambda: graph.page_count)
    steps = [walk.step(graph.successors(walk.page)) for _ in range(2000)]
    assert np.concatenate([compiled.walk(500), compiled.walk(1500)]).tolist() == steps
    assert len(set(steps)) > 3


def long_run(rule: WalkRule) -> FloatArray:
    """Of each page of GRAPH, by the eigenvector of the transition probabilities."""
    n = GRAPH.page_count
    chances = np.zeros((n, n))
    for page in range(n):
        # The only way to the dead end is from 3, so back is to 3, unless a jump led there.
        targets = GRAPH.successors(page).tolist() or [3]
        choices = max(rule.degree_bound, len(targets) + 1)
        for target in targets:
            chances[page, target] += 1 / choices
        chances[page, page] += 1 - len(targets) / choices
    values, vectors = np.linalg.eig(chances.T)
    found = np.abs(vectors[:, np.argmax(values.real)].real)
    share: FloatArray = found / found.sum()
    return share


@pytest.mark.parametrize("name", ["loops", "regular"])
def test_in_the_long_run_it_is_where_its_transition_probabilities_say(name: str) -> None:
    rule = RULES[name]
    if rule.degree_bound:  # a dead end chooses between back and its loop alone
        graph, expected = GRAPH.among([0, 1, 2, 3]), None
        rule = WalkRule(degree_bound=6)
        visits = np.bincount(GraphWalk(graph, rule, 0, 1).walk(500_000), minlength=4) / 500_000
        chances = np.eye(4)
        for page in range(4):
            for target in graph.successors(page):
                chances[page, target] += 1 / 6
                chances[page, page] -= 1 / 6
        expected = np.linalg.matrix_power(chances, 4096)[0]
    else:
        visits = np.bincount(GraphWalk(GRAPH, rule, 0, 1).walk(500_000), minlength=5) / 500_000
        expected = long_run(rule)
    assert visits == pytest.approx(expected, abs=0.005)


def test_from_a_page_without_links_it_goes_back_to_where_it_came_from() -> None:
    graph = Graph.from_links([0, 1, 2], [3, 3, 0], 4)  # both 0 and 1 lead to the dead end 3
    pages = GraphWalk(graph, WalkRule(), 0, 1).walk(1000)
    assert set(pages.tolist()) == {0, 3}
    assert set(GraphWalk(graph, WalkRule(), 1, 1).walk(1000).tolist()) == {1, 3}


def test_it_stays_where_there_is_no_way_at_all() -> None:
    assert set(GraphWalk(Graph.from_links([1], [0], 2), WalkRule(), 0, 1).walk(100).tolist()) == {0}


def test_with_jumps_to_all_pages_it_is_where_pagerank_says() -> None:
    visits = np.bincount(GraphWalk(GRAPH, RULES["all"], 0, 1).walk(500_000), minlength=5) / 500_000
    assert visits == pytest.approx(pagerank(GRAPH, damping=0.8), abs=0.005)


def test_jumps_lead_to_pages_that_were_visited_or_to_any() -> None:
    apart = Graph.from_links([0, 1, 2, 3], [1, 0, 3, 2], 4)
    visited = GraphWalk(apart, WalkRule(jump=0.3), 0, 1).walk(10_000)
    assert set(visited.tolist()) == {0, 1}
    anywhere = GraphWalk(apart, WalkRule(jump=0.3, jumps_to_all=True), 0, 1).walk(10_000)
    assert np.bincount(anywhere) / 10_000 == pytest.approx(np.full(4, 0.25), abs=0.03)
