"""A graph in a few bits a link is the graph it was made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.analysis.graph import Graph
from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.lab.connectivity.bit_codes import DELTA, GAMMA
from hinterland.lab.connectivity.bv_files import read_bvgraph, write_bvgraph
from hinterland.lab.connectivity.bv_form import BvForm
from hinterland.lab.connectivity.bv_graph import BvGraph
from tests.support.webs import Pairs, graph_from, graph_of, links_and_count, random_web

pytestmark = pytest.mark.slow

FORMS = (
    BvForm(),
    BvForm(window=0, min_interval=0),
    BvForm(
        window=3,
        max_references=4,
        restart_interval=7,
        min_interval=2,
        zeta_k=2,
        outdegrees=DELTA,
        blocks=DELTA,
        residuals=GAMMA,
    ),
)


def same(one: Graph, other: Graph) -> bool:
    return np.array_equal(one.offsets, other.offsets) and np.array_equal(one.targets, other.targets)


@given(links_and_count(), st.sampled_from(FORMS))
def test_any_graph_is_read_as_it_was_written(drawn: tuple[Pairs, int], form: BvForm) -> None:
    graph = graph_from(*drawn)
    packed = BvGraph.of(graph, form)
    assert same(packed.graph(), graph)
    for page in range(graph.page_count):
        assert packed.successors(page).tolist() == graph.successors(page).tolist()


@pytest.mark.parametrize("form", FORMS)
def test_pages_are_read_at_random_though_they_copy_from_each_other(form: BvForm) -> None:
    rng = np.random.default_rng(1)
    row = np.sort(rng.choice(400, 60, replace=False))
    rows = {page: sorted({*row[rng.random(60) < 0.9].tolist(), page % 50, *range(200, 220)}) for page in range(300)}
    graph = graph_of(rows, 400)
    packed = BvGraph.of(graph, form)
    order = rng.permutation(400).astype(np.int32)
    offsets, targets = packed.rows_of(order)
    for i, page in enumerate(order.tolist()):
        assert targets[offsets[i] : offsets[i + 1]].tolist() == graph.successors(page).tolist()


def test_lists_that_are_alike_take_few_bits() -> None:
    alike = graph_of({page: [*range(100, 140), 150 + page % 7] for page in range(100)}, 200)
    assert 8 * BvGraph.of(alike).word_bytes / alike.link_count < 1


def test_a_page_that_there_is_not_is_named() -> None:
    packed = BvGraph.of(graph_of({0: [1]}, 2))
    for ask in (packed.successors, lambda page: packed.rows_of([0, page])):
        with pytest.raises(IndexError, match="2 is not one of the 2 pages"):
            ask(2)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("form", FORMS)
def test_files_hold_the_graph_and_how_it_is_written(form: BvForm, tmp_path: Path) -> None:
    graph = random_web(1, 300)
    write_bvgraph(BvGraph.of(graph, form), tmp_path / "web")
    found = read_bvgraph(tmp_path / "web")
    assert found.form == form
    assert (found.page_count, found.link_count) == (300, graph.link_count)
    assert same(found.graph(), graph)
    assert found.successors(7).tolist() == graph.successors(7).tolist()


def test_a_graph_of_others_whose_lists_are_copied_across_groups_is_read(tmp_path: Path) -> None:
    alike = graph_of({page: [*range(100, 140), 150 + page % 7] for page in range(100)}, 200)
    write_bvgraph(BvGraph.of(alike, BvForm(max_references=1000, restart_interval=1000)), tmp_path / "web")
    file = tmp_path / "web.properties"
    file.write_text(file.read_text().replace("restartinterval=1000\n", ""))
    found = read_bvgraph(tmp_path / "web")
    assert same(found.graph(), alike)
    assert found.successors(70).tolist() == alike.successors(70).tolist()


def half_random() -> Graph:
    """A page with very many links among those without any, so that what it takes is far between its neighbours."""
    rng = np.random.default_rng(5)
    return graph_of({50_000: np.flatnonzero(rng.random(100_000) < 0.5).tolist()}, 100_000)


@pytest.mark.parametrize(
    "make", [lambda: random_web(2, 5000), lambda: graph_of({}, 3), half_random], ids=["random", "no links", "half"]
)
def test_the_package_of_others_reads_what_is_written_link_for_link(make: Callable[[], Graph], tmp_path: Path) -> None:
    webgraph, graph = pytest.importorskip("webgraph"), make()
    write_bvgraph(BvGraph.of(graph), tmp_path / "web")
    theirs = webgraph.BvGraph(str(tmp_path / "web"))
    assert (theirs.num_nodes(), theirs.num_arcs()) == (graph.page_count, graph.link_count)
    rows = [list(theirs.successors(page)) for page in range(graph.page_count)]
    assert [target for row in rows for target in row] == graph.targets.tolist()
    assert [len(row) for row in rows] == graph.outdegrees.tolist()


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("compressionflags=", "compressionflags=RESIDUALS_GOLOMB", "RESIDUALS_GOLOMB is not supported"),
        ("nodes=300", "nodes=many", "many"),
        ("nodes=300", "nodes=-1", "nodes is -1"),
        ("nodes=300", "nodes=301", "do not fit together"),
        ("arcs=", "links=", "arcs"),
        ("zetak=3", "zetak=x", "whole number"),
        ("restartinterval=32", "restartinterval=0", "restart_interval is 0"),
        ("endianness=big", "endianness=little", "only big-endian"),
    ],
)
def test_properties_that_cannot_be_used_are_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    write_bvgraph(BvGraph.of(random_web(1, 300)), tmp_path / "web")
    file = tmp_path / "web.properties"
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(UnusableGraph, match=message):
        read_bvgraph(tmp_path / "web")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    write_bvgraph(BvGraph.of(random_web(1, 300)), tmp_path / "web")
    (tmp_path / "web.offsets").unlink()
    with pytest.raises(UnusableGraph, match=r"web\.offsets"):
        read_bvgraph(tmp_path / "web")
