"""Samples of pages by walks: which of them are uniform, and which is not, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hinterland.analysis.graph import Graph, IntArray
from hinterland.lab.models.pennock import PennockModel
from hinterland.lab.structure.components import components
from hinterland.lab.walks.diagnostics import by_age, by_degree, chi_square, effective_size
from hinterland.lab.walks.graph_sampler import GraphSampler
from hinterland.lab.walks.sampling import METHODS, PageSample, Plan, sampling
from hinterland.lab.walks.walk import WalkRule

PLAN = Plan(1000, 200_000, 1_000_000)
JUMPS = replace(METHODS["modified-pagerank"], rule=WalkRule(jump=0.5, jumps_to_all=True))


@pytest.fixture(scope="module")
def graph() -> Graph:
    """As the paper has it: the largest strong component of the model of Pennock et al., links turned at random."""
    drawn = PennockModel(links=6, preferential=0.5).draw(2000, 1).graph
    return drawn.among(components(drawn, "strong").largest)


def p_values(graph: Graph, sample: PageSample) -> list[float]:
    pages = np.arange(graph.page_count, dtype=np.int32)
    size = effective_size(np.log1p(graph.indegrees[sample.pages].astype(np.float64)))
    by = [by_degree(degrees, sample.pages, pages) for degrees in (graph.indegrees, graph.outdegrees)]
    return [chi_square(buckets, size).p_value for buckets in [*by, by_age(pages, sample.pages, pages)]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["directed", "undirected", "regular", "modified-pagerank"])
def test_a_sample_is_uniform_over_inlinks_outlinks_and_age(name: str, graph: Graph) -> None:
    sample = GraphSampler.of(graph, METHODS[name]).sample(PLAN, 0, 5)
    assert min(p_values(graph, sample)) > 0.001
    assert len(sample.pages) > 2000


@pytest.mark.slow
@pytest.mark.parametrize("name, steps", [("undirected", 3_001_000), ("directed", 4_001_000)])
def test_a_long_walk_tells_how_far_it_is(name: str, steps: int, graph: Graph) -> None:
    told: list[int] = []
    GraphSampler.of(graph, METHODS[name]).sample(Plan(1000, 3_000_000, 1_000_000), 0, 5, told.append)
    assert told == sorted(told)
    assert len(told) > 3
    assert told[-1] == steps


@pytest.mark.slow
def test_pagerank_sample_prefers_pages_with_links_and_jumps_to_all_pages_cure_it(graph: Graph) -> None:
    """The cause that the paper conjectures: jumps lead to pages visited before, which are those with more links."""
    pages = np.arange(graph.page_count, dtype=np.int32)
    brief = Plan(0, graph.page_count // 2, 0)
    shares = {}
    for name, to_all in (("visited", False), ("all", True)):
        method = replace(METHODS["pagerank"], rule=WalkRule(jump=1 / 7, jumps_to_all=to_all))
        accepted = [GraphSampler.of(graph, method).sample(brief, 0, seed).pages for seed in range(40)]
        few = by_degree(graph.indegrees, np.concatenate(accepted).astype(np.int32), pages)[0]
        shares[name] = few.ratio
    assert shares["visited"] < shares["all"]
    assert shares["visited"] < 0.8


def test_a_visit_is_accepted_in_inverse_proportion_to_how_often_the_walk_is_there() -> None:
    asked = []

    def known(pages: IntArray) -> np.typing.NDArray[np.float64]:
        asked.append(pages.tolist())
        return np.array([1.0, 4.0])

    method = sampling(METHODS["undirected"], Plan(7, 100_000, 99), 1, known)
    assert next(method) == 7
    assert method.send(np.zeros(7, np.int32)) == 100_000
    with pytest.raises(StopIteration) as end:
        method.send(np.tile(np.array([3, 5], np.int32), 50_000))
    sample = end.value.value
    assert asked == [[3, 5]]
    assert np.sum(sample.pages == 3) == 50_000
    assert np.sum(sample.pages == 5) == pytest.approx(12_500, abs=500)
    assert sample.weights.tolist() == [0.8, 0.2]


def test_an_estimated_method_walks_on_and_counts() -> None:
    method = sampling(METHODS["directed"], Plan(0, 4, 8), 1, lambda pages: pages.astype(np.float64))
    assert next(method) == 4
    assert method.send(np.array([2, 0, 9, 2], np.int32)) == 8
    with pytest.raises(StopIteration) as end:
        method.send(np.array([2, 2, 2, 2, 0, 5, 5, 11], np.int32))
    sample = end.value.value
    assert sample.visited.tolist() == [0, 2, 9]
    assert sample.visits.tolist() == [1, 2, 1]
    assert sample.stationary.tolist() == [1 / 8, 4 / 8, 1 / 8]  # 9 was not seen again: as if it had been once


def test_long_walks_are_taken_in_parts() -> None:
    plan, taken = Plan(3_000_000, 2, 0), 0
    method = sampling(METHODS["regular"], plan, 1, lambda pages: np.ones(len(pages)))
    steps = next(method)
    while taken < plan.burn_in:
        assert steps <= 1 << 20
        taken += steps
        steps = method.send(np.zeros(steps, np.int32))
    assert (taken, steps) == (plan.burn_in, 2)


def test_a_sample_can_be_thinned_evenly() -> None:
    pages = np.arange(10, dtype=np.int32)
    sample = PageSample(pages, pages, pages, np.ones(10, np.int32), np.ones(10))
    assert sample.of_at_most(4).pages.tolist() == [0, 2, 5, 7]
    assert sample.of_at_most(4).accepted.tolist() == pages.tolist()
    assert sample.of_at_most(10) is sample.of_at_most(None) is sample


def test_a_graph_is_made_regular_by_loops_up_to_its_largest_degree() -> None:
    star = Graph.from_links([0, 0, 0, 0], [1, 2, 3, 4], 5)
    sampler = GraphSampler.of(star, METHODS["regular"])
    assert sampler.method.rule.degree_bound == 5
    visits = GraphSampler.of(star, METHODS["regular"]).sample(Plan(0, 100_000, 0), 1, 1).visits
    assert visits / 100_000 == pytest.approx(np.full(5, 0.2), abs=0.01)
