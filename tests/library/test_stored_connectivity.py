"""A store that is asked by SQL answers as its links in memory do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hinterland.lab.graphs.connectivity import asked_connectivity, open_connectivity
from tests.support.stored_pages import Link, Page, write_store

HOSTS = ("http://a.test", "https://a.test", "http://b.test")
PAGES = 40
LINKS = [(target, kind) for target in range(PAGES) for kind in range(2)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dice = random.Random(7)
    outcomes = ("fetched", "fetched", "fetched", "http_error")
    pages = [
        Page(
            links=[Link(target, kind=kind) for target, kind in dice.sample(LINKS, dice.randrange(5))],
            host=dice.randrange(len(HOSTS)),
            outcome=dice.choice(outcomes),
        )
        for _ in range(PAGES)
    ]
    return write_store(tmp_path_factory.mktemp("asked") / "s.db", pages, HOSTS)


@pytest.mark.parametrize("inlinks", [False, True])
@pytest.mark.parametrize("remote_only", [False, True])
def test_the_pages_around_a_page_are_those_of_the_graph(store: Path, inlinks: bool, remote_only: bool) -> None:
    graph, _ = open_connectivity(store)
    with asked_connectivity(store) as (asked, _):
        assert asked.page_count == graph.page_count
        for page in range(PAGES):
            found, expected = (
                [
                    [each.page_of(node) for node in ring.tolist()]
                    for ring in each.neighbourhood(each.node_of_page(page), 3, inlinks=inlinks, remote_only=remote_only)
                ]
                for each in (asked, graph)
            )
            assert found == expected


def test_names_are_found_and_missed_alike(store: Path) -> None:
    graph, _ = open_connectivity(store)
    with asked_connectivity(store) as (asked, _):
        for page in range(PAGES):
            url = graph.url_of(graph.node_of_page(page))
            assert asked.url_of(page) == url
            assert asked.node_of(url) == page
        for url in ("", "http://a.test/1x", "http://b.test/", "https://a.test/zzz", "zzz"):
            assert asked.node_of(url) is None
            for count in (1, 4, 7):
                assert asked.urls_near(url, count) == graph.urls_near(url, count)
        with pytest.raises(IndexError):
            asked.node_of_page(PAGES)
