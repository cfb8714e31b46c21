"""Components are those of networkx, and each page has its place in the bow tie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hinterland.analysis.graph import Graph
from hinterland.lab.structure.components import BowTie, Components, Region, bow_tie, components
from tests.support.drawn_graphs import as_networkx, graph_of, graphs


def tie_of(graph: Graph) -> BowTie:
    return bow_tie(graph, components(graph, "strong"), components(graph, "weak"))


def sets_of(found: Components) -> set[frozenset[int]]:
    assert found.sizes.tolist() == np.bincount(found.numbers, minlength=len(found.sizes)).tolist()
    return {frozenset(np.flatnonzero(found.numbers == number).tolist()) for number in range(len(found.sizes))}


@pytest.mark.slow
@given(graphs())
def test_components_are_those_of_networkx(graph: Graph) -> None:
    import networkx as nx

    theirs = as_networkx(graph)
    assert sets_of(components(graph, "strong")) == set(map(frozenset, nx.strongly_connected_components(theirs)))
    assert sets_of(components(graph, "weak")) == set(map(frozenset, nx.weakly_connected_components(theirs)))


@pytest.mark.slow
@given(graphs())
def test_the_bow_tie_is_what_its_definition_says(graph: Graph) -> None:
    import networkx as nx

    theirs = as_networkx(graph)
    core = set(components(graph, "strong").largest.tolist())
    after = {page: nx.descendants(theirs, page) | {page} for page in theirs}
    within = next(each for each in nx.weakly_connected_components(theirs) if core <= each)
    leads_in = {page for page in theirs if after[page] & core} - core
    led_out = {page for page in theirs if any(page in after[each] for each in core)} - core
    regions = tie_of(graph).regions
    for page in theirs:
        is_tube = any(page in after[each] for each in leads_in) and bool(after[page] & led_out)
        expected = (
            Region.CORE if page in core
            else Region.IN if page in leads_in
            else Region.OUT if page in led_out
            else Region.TUBE if is_tube
            else Region.TENDRIL if page in within
            else Region.DISCONNECTED
        )  # fmt: skip
        assert regions[page] == expected


def test_every_region_is_found() -> None:
    #        core 0-1-2, IN 3, OUT 4, tube 5, tendrils 6 (from IN) and 7 (to OUT), elsewhere 8
    links = [(0, 1), (1, 2), (2, 0), (3, 0), (0, 4), (3, 5), (5, 4), (3, 6), (7, 4)]
    tie = tie_of(graph_of(links, 9))
    assert tie.regions.tolist() == [0, 0, 0, 1, 2, 3, 4, 4, 5]
    assert tie.counts.tolist() == [3, 1, 1, 1, 2, 1]


def test_a_graph_without_pages_has_no_component() -> None:
    assert tie_of(Graph.from_links([], [], 0)).counts.tolist() == [0] * 6
