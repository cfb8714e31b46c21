"""The graph value, against sets of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.analysis.graph import Graph
from tests.support.webs import Links, Pairs, graph_from, graph_of, links_and_count, links_of

pytestmark = pytest.mark.slow

Written = tuple[Pairs, int]


def links_in(pairs: Pairs) -> Links:
    return {(source, target) for source, target in pairs if source != target}


@given(links_and_count())
def test_a_graph_has_every_link_once_and_no_self_links(written: Written) -> None:
    pairs, count = written
    graph, links = graph_from(pairs, count), links_in(pairs)
    assert graph.page_count == count
    assert graph.link_count == len(links)
    assert links_of(graph) == links
    for page in range(count):
        assert graph.successors(page).tolist() == sorted(target for source, target in links if source == page)
    assert graph.outdegrees.tolist() == [sum(source == page for source, _ in links) for page in range(count)]
    assert graph.indegrees.tolist() == [sum(target == page for _, target in links) for page in range(count)]


@given(links_and_count())
def test_a_transposed_graph_has_every_link_reversed_in_ascending_order(written: Written) -> None:
    pairs, count = written
    turned = graph_from(pairs, count).transposed
    assert links_of(turned) == {(target, source) for source, target in links_in(pairs)}
    assert all((np.diff(turned.successors(page)) > 0).all() for page in range(count))


@given(links_and_count(), st.data())
def test_rows_in_any_order_make_the_same_graph_as_links(written: Written, data: st.DataObject) -> None:
    pairs, count = written
    graph, order = graph_from(pairs, count), data.draw(st.permutations(range(count)))
    rows = [np.array(data.draw(st.permutations(graph.successors(page).tolist())), np.int32) for page in order]
    ends = np.cumsum([len(row) for row in rows], dtype=np.int64)
    targets = np.concatenate([np.empty(0, np.int32), *rows])
    again = Graph.from_rows(np.array(order, np.int32), ends, targets, count)
    assert again.offsets.tolist() == graph.offsets.tolist()
    assert again.targets.tolist() == graph.targets.tolist()


@pytest.mark.parametrize("length", [1, 64, 65, 500])
def test_the_successors_of_a_page_come_out_ascending_however_many_they_are(length: int) -> None:
    written = np.random.default_rng(length).permutation(np.arange(1, length + 1)).astype(np.int32)
    graph = Graph.from_rows(np.array([0], np.int32), np.array([length], np.int64), written, length + 1)
    assert graph.successors(0).tolist() == list(range(1, length + 1))


@given(links_and_count(), st.data())
def test_the_graph_among_some_pages_has_their_links_under_new_numbers(written: Written, data: st.DataObject) -> None:
    pairs, count = written
    chosen = data.draw(st.lists(st.integers(0, count - 1), unique=True)) if count else []
    part = graph_from(pairs, count).among(chosen)
    expected = {
        (chosen.index(source), chosen.index(target))
        for source, target in links_in(pairs)
        if source in chosen and target in chosen
    }
    assert part.page_count == len(chosen)
    assert links_of(part) == expected
    assert part.link_count == len(expected)


@given(links_and_count(), st.data())
def test_without_links_within_groups_only_the_links_between_them_are_left(
    written: Written, data: st.DataObject
) -> None:
    pairs, count = written
    groups = data.draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    left = graph_from(pairs, count).without_links_within(np.array(groups, np.int32))
    assert left.page_count == count
    assert links_of(left) == {
        (source, target) for source, target in links_in(pairs) if groups[source] != groups[target]
    }


@given(links_and_count(), st.data())
def test_reachable_is_what_a_search_over_sets_finds(written: Written, data: st.DataObject) -> None:
    pairs, count = written
    begin = data.draw(st.lists(st.integers(0, count - 1), max_size=3)) if count else []
    found = set(begin)
    while more := {target for source, target in pairs if source in found} - found:
        found |= more
    assert graph_from(pairs, count).reachable_from(begin).tolist() == sorted(found)


def test_a_graph_may_have_no_pages_or_no_links() -> None:
    assert graph_of({}, 0).page_count == 0
    empty = graph_of({}, 3)
    assert (empty.page_count, empty.link_count) == (3, 0)
    assert empty.transposed.outdegrees.tolist() == [0, 0, 0]


def test_a_graph_is_read_only() -> None:
    graph = graph_of({0: [1]}, 2)
    for array in (graph.offsets, graph.targets, graph.indegrees, graph.outdegrees, graph.transposed.targets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    "sources, targets, message",
    [
        ([0, 1], [1], "not parallel"),
        ([[0]], [[1]], "not parallel"),
        ([0, 3], [1, 1], "source 3 is not a page number below 3"),
        ([0, 1], [-1, 1], "target -1 is not a page number below 3"),
    ],
)
def test_what_is_no_list_of_links_is_refused_by_name(sources: list[int], targets: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Graph.from_links(sources, targets, 3)
