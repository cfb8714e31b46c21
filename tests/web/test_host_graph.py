"""The picture of the links between hosts: which are in it, and where."""

from __future__ import annotations

from math import hypot
from pathlib import Path

import numpy as np

from hinterland.storage.reading.opening import reading
from hinterland.storage.stored_crawl import stored_crawl
from hinterland.web.host_graph import RADIUS, HostLinks, host_links, host_picture
from tests.support.crawling import rows
from tests.support.stores import HOSTILE
from tests.web.test_pages import attribute, client_of, get, shown


def test_links_between_hosts_are_those_of_the_store(crawled_store: Path) -> None:
    with reading(crawled_store) as store:
        found = host_links(stored_crawl(store.connection))
    counted = rows(
        crawled_store,
        "SELECT a.host, b.host, count(DISTINCT source << 32 | target) FROM link JOIN page a ON a.id = source"
        " JOIN page b ON b.id = target WHERE a.host <> b.host GROUP BY 1, 2",
    )
    hosts = found.hosts.tolist()
    assert {(hosts[a], hosts[b], found.links[a, b]) for a, b in np.argwhere(found.links)} == set(counted)
    assert found.linked == len(hosts) == 2


def test_only_the_hosts_with_most_links_are_drawn(crawled_store: Path) -> None:
    with reading(crawled_store) as store:
        assert len(host_links(stored_crawl(store.connection), 1).hosts) == 1


def links_of(pairs: dict[tuple[int, int], int], count: int) -> HostLinks:
    links = np.zeros((count, count), np.int64)
    for pair, number in pairs.items():
        links[pair] = number
    return HostLinks(np.arange(count), np.arange(count) + 1, links, count)


def test_hosts_that_are_tied_stand_beside_each_other() -> None:
    picture = host_picture(links_of({(0, 3): 50, (3, 5): 9, (1, 2): 70, (2, 4): 8, (5, 1): 1}, 6))
    at = {dot.place: np.arctan2(dot.y, dot.x) for dot in picture.dots}
    around = sorted(at, key=at.__getitem__) * 2
    together = [set(around[start : start + 3]) for start in range(6)]
    assert {0, 3, 5} in together
    assert {1, 2, 4} in together
    assert all(abs(hypot(dot.x, dot.y) - RADIUS) < 0.1 for dot in picture.dots)
    widths = [edge.width for edge in picture.edges]
    assert widths == sorted(widths)
    assert [(edge.first, edge.second, edge.there, edge.back) for edge in picture.edges][-1] == (2, 1, 0, 70)


def test_nothing_to_draw_is_a_picture_of_nothing() -> None:
    assert host_picture(links_of({}, 0)).dots == []
    assert host_picture(links_of({(0, 1): 3}, 2)).edges[0].back == 3


async def test_the_picture_has_its_figures_beside_it_and_hostile_names_are_text(hostile_store: Path) -> None:
    async with client_of(hostile_store) as client:
        html = await get(client, "/hosts/links")
        assert attribute(await get(client, "/hosts"), "p a[href$=links]", "href") == "/hosts/links"
    assert HOSTILE not in html
    assert "2 hosts that link to each other" in shown(html)
