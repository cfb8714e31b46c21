"""Cores are found wherever they are, and nowhere else."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.analysis.graph import Graph
from hinterland.lab.trawling.communities import communities
from hinterland.lab.trawling.cores import cores, diverse
from tests.support.webs import graph_of

pytestmark = pytest.mark.slow

Found = dict[tuple[int, ...], tuple[int, ...]]


def by_brute_force(graph: Graph, i: int, j: int) -> Found:
    inlinks = [set(graph.transposed.successors(page).tolist()) for page in range(graph.page_count)]
    found = {}
    for centres in combinations(range(graph.page_count), j):
        fans = set.intersection(*(inlinks[centre] for centre in centres))
        if len(fans) >= i:
            found[centres] = tuple(sorted(fans))
    return found


def as_found(graph: Graph, i: int, j: int) -> Found:
    """The centres of cores and their fans; all that was generated has j centres."""
    found = cores(graph, i, j)
    assert found.is_complete
    sets = [tuple(found.centres_of(core).tolist()) for core in range(len(found))]
    assert len(set(sets)) == len(sets)
    assert {len(centres) for centres in sets[: found.generated]} <= {j}
    return {centres: tuple(found.fans_of(core).tolist()) for core, centres in enumerate(sets)}


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(2, 4), st.floats(0.1, 0.7))
def test_all_cores_of_small_graphs_are_found_with_all_their_fans(seed: int, i: int, j: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    links = np.argwhere(rng.random((10, 10)) < density)
    graph = Graph.from_links(links[:, 0], links[:, 1], 10)
    found, cores_there = as_found(graph, i, j), by_brute_force(graph, i, j)
    assert {core for centres in found for core in combinations(centres, j)} == cores_there.keys()
    for centres, fans in found.items():
        assert set(fans) == set.intersection(*(set(cores_there[core]) for core in combinations(centres, j)))
    for core, fans in cores_there.items():
        assert any(set(core) <= set(centres) and fans == its for centres, its in found.items())


def test_planted_cores_are_found_in_a_web_of_chance_links() -> None:
    """20 cores of 4 fans and 5 centres, among 5,000 pages with 4 links to anywhere: chance makes none of 3 by 3."""
    rng = np.random.default_rng(3)
    pages = rng.permutation(5000)[: 20 * 9].reshape(20, 9)
    rows = {page: rng.integers(0, 5000, 4).tolist() for page in range(5000)}
    planted: Found = {}
    for members in pages.tolist():
        fans, centres = members[:4], members[4:]
        for fan in fans:
            rows[fan] = [*rows[fan], *centres]
        planted[tuple(sorted(centres))] = tuple(sorted(fans))
    graph = graph_of(rows, 5000)
    assert as_found(graph, 4, 5) == planted
    found = communities(cores(graph, 3, 3), graph, np.arange(5000, dtype=np.int32))
    assert {tuple(each.centres.tolist()): tuple(each.fans.tolist()) for each in found} == planted


def test_a_search_that_would_not_end_says_that_it_was_cut_short() -> None:
    rng = np.random.default_rng(1)
    dense = graph_of({page: (20 + np.flatnonzero(rng.random(40) < 0.7)).tolist() for page in range(20)}, 60)
    found = cores(dense, 3, 3, most_steps=1000)
    assert not found.is_complete
    assert 0 < len(found) <= 1000
    assert cores(dense, 3, 3).is_complete


def test_a_dense_part_is_one_closed_core_and_not_all_that_it_holds() -> None:
    graph = graph_of({page: range(20, 60) for page in range(6)}, 60)
    assert as_found(graph, 3, 9) == {tuple(range(20, 60)): tuple(range(6))}


def test_a_core_needs_two_of_each() -> None:
    for i, j in ((1, 3), (3, 1)):
        with pytest.raises(ValueError, match="at least 2"):
            cores(graph_of({}, 3), i, j)


def test_a_core_is_diverse_if_its_fans_are_of_that_many_hosts() -> None:
    graph = graph_of({0: [5, 6], 1: [4, 5, 6, 7], 2: [5, 6], 3: [4, 7]}, 8)
    hosts = np.array([0, 0, 1, 2, 3, 4, 5, 6], np.int32)
    found = cores(graph, 2, 2)
    told = dict(zip(as_found(graph, 2, 2), diverse(found, hosts, 2).tolist(), strict=True))
    assert told[(5, 6)]
    assert told[(4, 7)]
    assert not diverse(found, np.zeros(8, np.int32), 2).any()
    assert [each.hosts for each in communities(found, graph, hosts)] == [2, 2]
