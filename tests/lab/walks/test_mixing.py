"""How fast a walk forgets where it began: eigenvalues, and the bound of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import Graph
from hinterland.lab.models.pennock import PennockModel
from hinterland.lab.structure.density import undirected
from hinterland.lab.walks.mixing import eigenvalues, mixing_bound


def path(n: int) -> Graph:
    return undirected(Graph.from_links(np.arange(n - 1), np.arange(1, n), n))


def connected(n: int, seed: int) -> Graph:
    graph = undirected(PennockModel(3, 0.5).draw(n, seed).graph)
    return graph.among(graph.reachable_from([int(graph.outdegrees.argmax())]))


@pytest.mark.slow
@pytest.mark.parametrize("graph", [path(30), connected(80, 1), connected(80, 2)])
def test_the_eigenvalues_are_those_of_the_dense_matrix_and_within_the_bound(graph: Graph) -> None:
    n = graph.page_count
    chances = np.eye(n)
    chances[graph.sources, graph.targets] = 1
    chances /= chances.sum(axis=1, keepdims=True)
    exact = np.sort(np.linalg.eigvals(chances).real)
    found, bound = eigenvalues(graph), mixing_bound(graph)
    assert found.is_settled
    assert found.second == pytest.approx(exact[-2], abs=1e-6)
    assert found.least == pytest.approx(exact[0], abs=1e-6)
    assert found.second <= bound.second < 1
    assert found.least >= bound.least
    soon, late = (np.linalg.matrix_power(chances, steps)[0] for steps in (round(found.steps(1e-6)), 1 << 16))
    assert np.abs(soon - late).max() < 1e-4


@pytest.mark.slow
def test_the_bottleneck_of_a_path_is_its_middle() -> None:
    bound = mixing_bound(path(4))
    assert (bound.degree, bound.diameter, bound.bottleneck) == (3, 3, 4)  # 2 × 2 ordered pairs go over the middle
    assert bound.second == 1 - 10 / (9 * 3 * 4)  # 3 links both ways and 4 loops
    assert bound.least == -1 + 2 / 3


@pytest.mark.slow
def test_what_is_not_settled_within_the_steps_is_said() -> None:
    found = eigenvalues(path(2000), steps=20)
    assert not found.is_settled
    assert 0.9 < found.second < 1


def test_a_single_page_has_nothing_to_forget() -> None:
    assert eigenvalues(Graph.from_links([], [], 1)).steps(0.01) == 0
