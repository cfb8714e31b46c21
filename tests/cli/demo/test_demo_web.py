"""The demo web: the same each time, all of it explained, and served as it is declared."""

from __future__ import annotations

import gzip
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

import aiohttp
import pytest
from yarl import URL

from hinterland.cli.demo.archipelago import HOSTS, everything
from hinterland.cli.demo.declarations import DemoFile, DemoPage, Place, Redirect
from hinterland.cli.demo.pages import declared, demo_pages, demo_seeds, url
from hinterland.cli.demo.truth import DemoTruth, demo_truth
from hinterland.cli.demo.web import DemoWeb
from hinterland.crawler.fetching.robots.rules import parse_robots

PORT = 8000


class Links(HTMLParser):
    """The links of a page in a reader of another make than the crawler's."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base
        self.anchors: set[str] = set()
        self.followed: set[str] = set()
        self.is_nofollow = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.anchors.add(self.absolute(given["href"]))
        if tag in ("a", "link") and "nofollow" not in given.get("rel", ""):
            self.followed.add(self.absolute(given["href"]))
        if tag == "meta" and given.get("http-equiv") == "refresh":
            self.followed.add(self.absolute(given["content"].partition("url=")[2]))
        if tag == "meta" and given.get("name") == "robots":
            self.is_nofollow = "nofollow" in given["content"]

    def absolute(self, href: str) -> str:
        return urldefrag(urljoin(self.base, href)).url


def place_of(absolute: str) -> Place:
    parts = urlsplit(absolute)
    return parts.hostname or "", parts.path + (f"?{parts.query}" if parts.query else "")


async def crawl(web: DemoWeb, session: aiohttp.ClientSession, truth: DemoTruth) -> Counter[str]:
    """Fetches what links lead to, robots.txt and scope obeyed; counts places and links as `truth` does."""
    counts: Counter[str] = Counter()
    links: set[tuple[Place, Place]] = set()
    known, waiting = set(web.seeds), list(web.seeds)
    while waiting:
        asked = waiting.pop()
        host, path = place_of(asked)
        if host not in HOSTS or HOSTS[host].forbids(path):
            counts["outside" if host not in HOSTS else "forbidden"] += 1
            continue
        dialled = URL(f"http://{web.addresses[host]}:{web.port}{path}", encoded=True)
        async with session.get(dialled, headers={"Host": f"{host}:{web.port}"}, allow_redirects=False) as answer:
            found: set[str] = set()
            if answer.status in (301, 302, 308):
                counts["redirects"] += 1
                found = {urljoin(asked, answer.headers["Location"])}
            elif answer.status == 404:
                counts["missing"] += 1
            elif answer.content_type != "text/html":
                counts["unsuitable"] += 1
            else:
                counts["pages"] += 1
                reader = Links(asked)
                reader.feed((await answer.read()).decode("latin-1"))
                found = set() if reader.is_nofollow else reader.followed
                links |= {(place_of(asked), place_of(anchor)) for anchor in reader.anchors - {asked}}
        waiting += sorted(found - known)
        known |= found
    counts["links"] = len(links)
    assert links == truth.links
    return counts


def text_of(place: Place) -> str:
    answer = demo_pages(PORT)[place]
    body = gzip.decompress(answer.body) if answer.headers.get("Content-Encoding") == "gzip" else answer.body
    return body.decode("latin-1")


# What it is


def test_the_web_is_the_same_each_time() -> None:
    assert list(everything()) == list(everything())
    assert demo_pages(PORT) == demo_pages(PORT)


def test_nothing_is_declared_twice() -> None:
    repeated = [place for place, n in Counter(item.place for item in everything()).items() if n > 1]
    assert repeated == []


def test_it_is_a_web_of_a_dozen_hosts_and_some_three_hundred_pages() -> None:
    truth = demo_truth()
    assert len(HOSTS) == 12
    assert 300 <= len(truth.pages) <= 400
    assert all(host.endswith(".example") for host in HOSTS)
    assert min(Counter(host for host, _ in truth.pages).values()) >= 10


def test_every_declared_place_can_be_found_by_links() -> None:
    robots = {(host, "/robots.txt") for host in HOSTS}
    assert declared().keys() - robots <= demo_truth().known


def test_it_has_some_of_everything_that_a_crawler_meets() -> None:
    truth = demo_truth()
    items = list(everything())
    pages = [item for item in items if isinstance(item, DemoPage)]
    for name in ("redirects", "missing", "unsuitable", "forbidden", "unfollowed", "outside"):
        assert getattr(truth, name), name
    assert {item.status for item in items if isinstance(item, Redirect)} >= {301, 302, 308}
    assert {page.robots for page in pages} >= {"", "noindex", "noindex, nofollow"}
    assert {page.charset for page in pages} == {"utf-8", "iso-8859-1"}
    assert any(page.canonical for page in pages)
    assert any(page.next for page in pages)
    assert any(page.refresh for page in pages)
    assert any("X-Robots-Tag" in page.headers for page in pages)
    assert any(host.crawl_delay_seconds for host in HOSTS.values())
    assert any(host.gzipped for host in HOSTS.values())


def test_every_host_is_linked_from_others_and_links_to_others() -> None:
    across = {(source[0], target[0]) for source, target in demo_truth().links if source[0] != target[0]}
    assert {target for _, target in across} >= set(HOSTS)
    assert {source for source, _ in across} >= set(HOSTS)


def test_the_truth_puts_each_place_in_one_set() -> None:
    truth = demo_truth()
    names = ("pages", "redirects", "missing", "unsuitable", "forbidden", "unfollowed", "outside")
    assert sum(len(getattr(truth, name)) for name in names) == len(truth.known)
    assert {place for link in truth.links for place in link} <= truth.known


def test_from_one_seed_the_other_hosts_are_outside() -> None:
    truth = demo_truth([("kitchen.example", "/")])
    assert {host for host, _ in truth.pages} == {"kitchen.example"}
    assert {host for host, _ in truth.outside} >= {"botany.university.example"}


def test_robots_txt_says_what_the_truth_is_counted_by() -> None:
    for (host, path), item in declared().items():
        if path == "/robots.txt" and isinstance(item, DemoFile):
            rules = parse_robots(item.text.encode(), "Hinterland")
            places = [known for known in demo_truth().known if known[0] == host]
            assert [rules.allows(known) for _, known in places] == [
                not HOSTS[host].forbids(known) for _, known in places
            ]


def test_pages_in_latin_1_say_so_and_hold_what_ascii_does_not() -> None:
    ferryman = ("history.university.example", "/essays/der-f%C3%A4hrmann")
    assert "Der Fährmann von Averna" in text_of(ferryman)
    assert '<meta charset="iso-8859-1">' in text_of(ferryman)
    assert "charset" not in demo_pages(PORT)[ferryman].headers["Content-Type"]
    by_header = ("library.example", "/authors/thora-wake")
    assert "a café lamp" in text_of(by_header)
    assert demo_pages(PORT)[by_header].headers["Content-Type"] == "text/html; charset=iso-8859-1"


def test_links_to_other_hosts_carry_the_port_but_those_that_leave_the_web_do_not() -> None:
    directory = text_of(("atlas.example", "/directory"))
    assert '"http://ferry.example:8000/"' in directory
    assert '"http://mainland.example/"' in directory


# How it is served


@pytest.mark.slow
async def test_a_crawl_of_what_is_served_finds_exactly_the_truth() -> None:
    truth = demo_truth()
    async with DemoWeb() as web, aiohttp.ClientSession() as session:
        counts = await crawl(web, session, truth)
    expected = {name: len(getattr(truth, name)) for name in counts}
    assert counts == expected
    assert counts.total() > len(truth.pages)


async def test_seeds_and_addresses_are_all_that_a_crawler_needs() -> None:
    async with DemoWeb() as web:
        assert web.port > 0
        assert web.seeds == tuple(url(place, web.port) for place in demo_seeds())
        assert web.seeds[0] == f"http://atlas.example:{web.port}/"
        assert web.addresses == dict.fromkeys(HOSTS, "127.0.0.1")


async def test_unknown_hosts_and_paths_are_not_found() -> None:
    async with DemoWeb() as web, aiohttp.ClientSession() as session:
        for host, path in (("atlas.example", "/atlantis"), ("elsewhere.example", "/")):
            asked = f"http://127.0.0.1:{web.port}{path}"
            async with session.get(asked, headers={"Host": f"{host}:{web.port}"}) as answer:
                assert answer.status == 404


async def test_a_port_that_is_taken_is_an_error() -> None:
    async with DemoWeb() as web:
        with pytest.raises(OSError, match="address already in use"):
            await DemoWeb(web.port).__aenter__()
