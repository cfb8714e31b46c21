"""A graph comes out of every file alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.library.graph_opening import open_graph
from hinterland.storage.no_store import NoStore
from tests.support.graph_files import write_graph
from tests.support.stored_pages import Link, Page, visit_again, write_store


def test_a_store_gives_its_pages_links_and_the_order_of_its_visits(tmp_path: Path) -> None:
    pages = [
        Page(links=[Link(2), Link(1)]),
        Page(outcome="client_error"),
        Page(links=[Link(3)], host=1, is_local=False),
        Page(outcome="redirected", redirect=0, links=[Link(0, kind=8)]),
        Page(outcome="other_type"),
        Page(outcome="robots"),
    ]
    path = write_store(tmp_path / "s.db", pages)
    visit_again(path, {0: pages[0]})
    graph = open_graph(path)
    assert graph.name == "s"
    assert [graph.crawled.links.successors(page).tolist() for page in range(6)] == [[1, 2], [], [3], [0], [], []]
    assert graph.crawled.is_crawled.tolist() == [True, False, True, True, False, False]
    assert graph.visit_order is not None
    assert graph.visit_order.tolist() == [2, 3, 0]
    assert graph.crawled.inner.targets.tolist() == [1, 2, 0]
    assert graph.is_dead is not None
    assert np.flatnonzero(graph.is_dead).tolist() == [1]
    assert graph.crawled.hosts.tolist() == [0, 0, 1, 0, 0, 0]
    assert graph.crawled.is_local.tolist() == [True, True, False, True, True, True]
    assert graph.host_names == ["http://a.test", "http://b.test"]
    assert graph.names is not None
    assert graph.names[2] == "http://b.test/2"
    assert open_graph(path, with_names=False).names is None


def test_the_frontier_of_a_stored_graph_is_known_and_has_no_links(tmp_path: Path) -> None:
    urls = ["http://a.test/", "http://a.test/1", "http://b.test/"]
    graph = open_graph(write_graph(tmp_path / "g", [(0, 1), (1, 2), (2, 0)], 3, urls=urls, n_crawled=2))
    assert graph.name == "g"
    assert graph.crawled.links.sources.tolist() == [0, 1]
    assert graph.crawled.order.tolist() == [0, 1]
    assert graph.visit_order is None
    assert graph.is_dead is None
    assert graph.host_names == ["a.test", "b.test"]
    assert graph.crawled.hosts.tolist() == [0, 0, 1]


def test_a_graph_of_nothing_but_links_has_no_hosts(tmp_path: Path) -> None:
    graph = open_graph(write_graph(tmp_path / "g", [(0, 1)], 2))
    assert (graph.host_names, graph.names) == (None, None)
    assert graph.crawled.page_count == 2


def test_what_holds_no_graph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no graph")
    with pytest.raises(UnusableGraph, match=r"notes\.txt.*or a link store"):
        open_graph(tmp_path / "notes.txt")
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"x" * 100)
    with pytest.raises(NoStore):
        open_graph(tmp_path / "broken.db")
