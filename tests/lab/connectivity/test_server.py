"""A connectivity server knows pages by URL and by number, and their links both ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.lab.connectivity.front_coding import FrontCoded
from hinterland.lab.connectivity.server import Connectivity, NoNames
from tests.support.webs import graph_of, random_web

URLS = ["http://b.test/", "http://a.test/x", "http://a.test/", "https://a.test/s", "http://a.test:81/"]
LINKS = {0: [1, 2], 1: [2, 3], 2: [0], 3: [4], 4: [0]}


@pytest.fixture(scope="module")
def server() -> Connectivity:
    return Connectivity.of(graph_of(LINKS, 5), URLS)


def urls_of(server: Connectivity, nodes: list[int]) -> set[str]:
    return {server.url_of(node) for node in nodes}


def node_of(server: Connectivity, url: str) -> int:
    node = server.node_of(url)
    assert node is not None
    return node


def test_urls_and_numbers_lead_to_each_other(server: Connectivity) -> None:
    for page, url in enumerate(URLS):
        node = node_of(server, url)
        assert server.url_of(node) == url
        assert server.page_of(node) == page
        assert server.node_of_page(page) == node
    assert server.node_of("http://c.test/") is None
    assert server.urls_near("http://a.test/m", 2) == ["http://a.test/", "http://a.test/x"]


def test_links_lead_both_ways(server: Connectivity) -> None:
    for page, url in enumerate(URLS):
        node = node_of(server, url)
        assert urls_of(server, server.outlinks(node).tolist()) == {URLS[target] for target in LINKS[page]}
        sources = {URLS[source] for source, targets in LINKS.items() if page in targets}
        assert urls_of(server, server.inlinks(node).tolist()) == sources


def test_remote_links_lead_to_other_hosts_whatever_their_scheme(server: Connectivity) -> None:
    x = node_of(server, "http://a.test/x")
    assert server.outlinks(x, remote_only=True).tolist() == []
    assert urls_of(server, server.inlinks(x, remote_only=True).tolist()) == {"http://b.test/"}
    s = node_of(server, "https://a.test/s")
    assert urls_of(server, server.outlinks(s, remote_only=True).tolist()) == {"http://a.test:81/"}


def test_a_neighbourhood_has_each_page_at_its_distance(server: Connectivity) -> None:
    start = node_of(server, "http://a.test/x")
    rings = server.neighbourhood(start, 9, inlinks=False)
    assert [urls_of(server, ring.tolist()) for ring in rings] == [{URLS[2], URLS[3]}, {URLS[0], URLS[4]}]
    assert [urls_of(server, ring.tolist()) for ring in server.neighbourhood(start, 1, inlinks=True)] == [{URLS[0]}]
    far = server.neighbourhood(node_of(server, URLS[3]), 2, inlinks=False, remote_only=True)
    assert [urls_of(server, ring.tolist()) for ring in far] == [{URLS[4]}, {URLS[0]}]


def test_without_urls_numbers_are_those_of_the_graph() -> None:
    graph = random_web(1, 50)
    server = Connectivity.of(graph)
    assert server.outlinks(7).tolist() == graph.successors(7).tolist()
    assert server.node_of_page(7) == server.page_of(7) == 7
    with pytest.raises(NoNames):
        server.url_of(7)
    with pytest.raises(NoNames):
        server.outlinks(7, remote_only=True)
    with pytest.raises(IndexError, match="50"):
        server.node_of_page(50)


@given(st.lists(st.text("ab/é", max_size=6), max_size=100))
def test_a_front_coded_list_finds_texts_and_places(texts: list[str]) -> None:
    ascending = sorted(texts, key=str.encode)
    coded = FrontCoded.of(ascending)
    assert list(coded) == ascending
    assert [coded[place] for place in range(len(coded))] == ascending
    for text in [*texts, "", "ab", "zz"]:
        assert coded.place_of(text) == (ascending.index(text) if text in ascending else None)
        assert coded.place_before(text) == sum(each.encode() < text.encode() for each in ascending)


def test_texts_that_do_not_ascend_are_refused() -> None:
    with pytest.raises(ValueError, match="'a' comes after 'b'"):
        FrontCoded.of(["b", "a"])
