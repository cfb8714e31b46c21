"""Cores and clustering are those of networkx."""

from __future__ import annotations

import pytest
from hypothesis import given

from hinterland.analysis.graph import Graph
from hinterland.lab.structure.density import clustering, coreness, undirected
from tests.support.drawn_graphs import as_networkx, graph_of, graphs


@pytest.mark.slow
@given(graphs())
def test_cores_and_clustering_are_those_of_networkx(graph: Graph) -> None:
    import networkx as nx

    theirs = as_networkx(graph).to_undirected()
    neighbours = undirected(graph)
    assert {page: sorted(theirs[page]) for page in theirs} == {
        page: neighbours.successors(page).tolist() for page in range(graph.page_count)
    }
    assert coreness(neighbours).tolist() == [nx.core_number(theirs)[page] for page in theirs]
    ours = clustering(neighbours)
    assert ours.local.tolist() == pytest.approx([nx.clustering(theirs)[page] for page in theirs])
    assert ours.transitivity == pytest.approx(nx.transitivity(theirs))
    assert ours.average == pytest.approx(nx.average_clustering(theirs))


def test_a_clique_with_a_tail_has_the_core_of_the_clique() -> None:
    clique = [(source, target) for source in range(5) for target in range(source)]
    neighbours = undirected(graph_of([*clique, (5, 0), (6, 5)], 7))
    assert coreness(neighbours).tolist() == [4, 4, 4, 4, 4, 1, 1]
    assert clustering(neighbours).triangles == 10
