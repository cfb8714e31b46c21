"""What a further link does is what the PageRank of the graph with it shows."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from hinterland.analysis.further_link import PRECISION, ranks_with_link
from hinterland.analysis.graph import FloatArray, Graph
from hinterland.analysis.pagerank import pagerank

PAGES = 8
numbers = st.integers(0, PAGES - 1)
EXACT = 1e-12


def both(links: set[tuple[int, int]], source: int, target: int, pages: int) -> tuple[FloatArray, FloatArray]:
    """The ranks with a further link, and what a solve from the beginning says."""
    without, within = (
        Graph.from_links([link[0] for link in each], [link[1] for link in each], pages)
        for each in (links - {(source, target)}, links | {(source, target)})
    )
    return ranks_with_link(without, source, target, pagerank(without, tolerance=EXACT)), pagerank(
        within, tolerance=EXACT
    )


@given(st.sets(st.tuples(numbers, numbers)), numbers, numbers)
def test_each_rank_is_that_of_the_graph_with_the_link(links: set[tuple[int, int]], source: int, target: int) -> None:
    assume(source != target)
    found, expected = both(links, source, target, PAGES)
    assert np.abs(found / expected - 1).max() < 2 * PRECISION
    assert abs(found.sum() - 1) < EXACT


def test_a_link_of_the_weightiest_page_and_one_of_a_page_without_links_are_as_precise() -> None:
    dice = np.random.default_rng(1)
    sources = dice.integers(1, 500, 3_000).tolist()
    links = set(zip(sources, (500 * dice.random(3_000) ** 3).astype(int).tolist(), strict=True))
    for source in (int(np.bincount([target for _, target in links]).argmax()), 0):
        found, expected = both({link for link in links if link[0] != 0}, source, 400, 500)
        assert np.abs(found / expected - 1).max() < 2 * PRECISION
