"""Hubs and authorities are those of the literature, and of others."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import DidNotConverge
from hinterland.lab.hits import base_set, hits
from tests.support.webs import graph_of, random_web


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_networkx(seed: int) -> None:
    import networkx as nx

    graph = random_web(seed, 60)
    network = nx.DiGraph(list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)))
    hubs, authorities = nx.hits(network, max_iter=1000, tol=1e-12)
    found = hits(graph, tolerance=1e-10)
    for page in network:
        assert found.hubs[page] == pytest.approx(hubs[page], abs=1e-7)
        assert found.authorities[page] == pytest.approx(authorities[page], abs=1e-7)
    assert found.hubs.min() >= 0
    assert found.hubs.sum() == pytest.approx(1)
    assert found.authorities.sum() == pytest.approx(1)


def power_of(matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> list[float]:
    """Its dominant eigenvector, scaled to sum to 1."""
    values, vectors = np.linalg.eig(matrix)
    vector = np.real(vectors[:, np.argmax(np.abs(values))])
    return list(vector / vector.sum())


def test_weights_are_those_of_bharat_and_henzinger() -> None:
    hosts = np.array([0, 0, 0, 1, 2, 2], np.int32)
    relevance = np.array([1.0, 0.5, 0.8, 0.9, 0.3, 0.7])
    graph = graph_of({0: [3, 4, 5], 1: [3], 2: [3, 4], 3: [4, 5], 4: [0]}, 6)
    into, out = np.zeros((6, 6)), np.zeros((6, 6))
    links = list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    for source, target in links:
        into[source, target] = 1 / sum(other == target and hosts[page] == hosts[source] for page, other in links)
        out[source, target] = 1 / sum(page == source and hosts[other] == hosts[target] for page, other in links)
    found = hits(graph, hosts=hosts, relevance=relevance, tolerance=1e-12)
    authorities = power_of((into.T * relevance) @ (out * relevance))
    assert found.authorities.tolist() == pytest.approx(authorities, abs=1e-9)


def test_a_host_has_one_voice_however_many_pages_it_has() -> None:
    """Ten pages of one host for page 10, two of two hosts for page 11."""
    rows = {page: [10] for page in range(10)} | {12: [11], 13: [11]}
    hosts = np.array([0] * 10 + [1, 2, 3, 4], np.int32)
    graph = graph_of(rows, 14)
    assert hits(graph).authorities.argmax() == 10
    assert hits(graph, hosts=hosts).authorities.argmax() == 11


def test_a_hub_about_something_else_makes_no_authority() -> None:
    graph = graph_of({0: [3], 1: [3], 2: [3, 4], 5: [4]}, 6)
    assert hits(graph).authorities.argmax() == 3
    relevance = np.array([0.1, 0.1, 1.0, 1.0, 1.0, 1.0])
    assert hits(graph, relevance=relevance).authorities.argmax() == 4


def test_without_links_nobody_has_a_score() -> None:
    assert hits(graph_of({}, 3)).authorities.tolist() == [0, 0, 0]
    assert hits(Graph.from_links([], [], 0)).hubs.tolist() == []


def test_what_does_not_settle_says_so() -> None:
    with pytest.raises(DidNotConverge):
        hits(random_web(1, 200), max_iterations=2)


def test_a_relevance_that_is_none_is_refused() -> None:
    for relevance in (np.array([1.0]), np.array([1.0, -1.0, 1.0]), np.array([1.0, np.nan, 1.0])):
        with pytest.raises(ValueError, match="relevance"):
            hits(graph_of({0: [1]}, 3), relevance=relevance)


def test_the_base_set_has_what_the_roots_link_to_and_some_of_what_links_to_them() -> None:
    graph = graph_of({0: [1, 2], 3: [0], 4: [0], 5: [0], 6: [0], 7: [8]}, 9)
    assert base_set(graph, [0], max_inlinks=50).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert base_set(graph, [0], max_inlinks=2).tolist() == [0, 1, 2, 3, 5]
    assert base_set(graph, [], max_inlinks=2).tolist() == []
