"""Distances are those of every search, and HyperBall's lie within what it says of its error."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from hinterland.analysis.graph import Graph
from hinterland.lab.structure.distances import Effort, distances, exact_distances, hyperball
from tests.support.drawn_graphs import as_networkx, graphs

pytestmark = pytest.mark.slow


@given(graphs())
def test_exact_distances_are_those_of_every_search(graph: Graph) -> None:
    import networkx as nx

    theirs = nx.all_pairs_shortest_path_length(as_networkx(graph))
    counts = Counter(length for _, lengths in theirs for length in lengths.values())
    exact = exact_distances(graph)
    assert exact.pairs.tolist() == [counts[length] for length in range(max(counts) + 1)]
    assert exact.is_exact
    figures = exact.figures
    n, apart = graph.page_count, {length: count for length, count in counts.items() if length}
    if apart:
        total = sum(apart.values())
        average = sum(length * count for length, count in apart.items()) / total
        variance = sum((length - average) ** 2 * count for length, count in apart.items()) / total
        assert figures.average.value == pytest.approx(average)
        assert figures.spid.value == pytest.approx(variance / average)
        assert figures.connected.value == pytest.approx(total / (n * (n - 1)))
        harmonic = n * (n - 1) / sum(count / length for length, count in apart.items())
        assert figures.harmonic_diameter.value == pytest.approx(harmonic)


def test_more_than_64_searches_do_not_mix() -> None:
    n = 200  # a directed cycle: every distance from 0 to 199 occurs once from every page
    cycle = Graph.from_links(np.arange(n), (np.arange(n) + 1) % n, n)
    assert exact_distances(cycle).pairs.tolist() == [n] * n
    figures = exact_distances(cycle).figures
    assert figures.average.value == pytest.approx(100)
    assert figures.effective_diameter.value == pytest.approx(0.9 * 199)
    assert figures.longest == 199


def random_graph(pages: int, links: int, seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    targets = np.minimum(rng.zipf(1.5, links), pages) - 1
    return Graph.from_links(rng.integers(0, pages, links), rng.permutation(pages)[targets], pages)


@pytest.mark.parametrize("seed", range(6))
def test_hyperball_is_as_near_as_it_says(seed: int) -> None:
    graph = random_graph(3_000, 9_000, seed)
    exact = exact_distances(graph).figures
    estimated = hyperball(graph, np.random.default_rng(seed), Effort(6, 128 * 3_000))
    figures = estimated.figures
    assert figures.average.value == pytest.approx(exact.average.value, rel=0.02)
    assert abs(figures.average.value - exact.average.value) <= 2 * figures.average.error
    assert abs(figures.connected.value - exact.connected.value) <= 2 * figures.connected.error
    assert abs(figures.harmonic_diameter.value - exact.harmonic_diameter.value) <= 2 * figures.harmonic_diameter.error
    assert (estimated.runs, estimated.registers, estimated.is_exact) == (6, 128, False)


def test_the_seed_decides_what_hyperball_says() -> None:
    graph = random_graph(500, 1_500, 1)
    first, again, other = (hyperball(graph, np.random.default_rng(seed), Effort(3, 0)) for seed in (1, 1, 2))
    assert first.pairs.tolist() == again.pairs.tolist()
    assert first.figures.average != other.figures.average


def test_one_run_does_not_know_its_error() -> None:
    with pytest.raises(ValueError, match="1 runs cannot show"):
        hyperball(random_graph(10, 10, 1), np.random.default_rng(1), Effort(1, 1_000))


def test_small_graphs_are_counted_and_graphs_without_paths_have_no_average() -> None:
    alone = distances(Graph.from_links([], [], 3), np.random.default_rng(1))
    assert alone.is_exact
    assert alone.pairs.tolist() == [3]
    assert np.isnan(alone.figures.average.value)
    assert alone.figures.connected.value == 0
    assert distances(Graph.from_links([], [], 0), np.random.default_rng(1)).pairs.tolist() == []
