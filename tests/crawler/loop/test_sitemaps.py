"""A crawl that asks for sitemaps and feeds: pages that no link leads to, politely, whatever the sitemaps are."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.features.sitemaps.known_sitemaps import KnownSitemaps
from hinterland.crawler.features.sitemaps.outcomes import Sitemaps
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import PolitenessSettings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.reading.opening import reading
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import Crawled, crawl, fetched, rows
from tests.support.web import Answer, Exchange, LoopbackWeb
from tests.support.web_behaviours import drop, first_times, status

pytestmark = pytest.mark.slow

ALWAYS = {"sitemaps": {"use": "always"}}


def urlset(web: LoopbackWeb, *paths: str, lastmod: str = "") -> bytes:
    dated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    urls = "".join(f"<url><loc>{web.url('a.test', path)}</loc>{dated}</url>" for path in paths)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'.encode()


def site(web: LoopbackWeb, *, named: str = "/sitemap.xml") -> str:
    """A page that links to another; a sitemap may name the third."""
    web.robots("a.test", f"Sitemap: {named}" if named else "")
    web.page("a.test", "/linked")
    web.page("a.test", "/hidden")
    return web.page("a.test", "/", links=["/linked"])


async def crawled(web: LoopbackWeb, seed: str, store: Path, **changes: Any) -> Crawled:
    done = await crawl(web.addresses, [seed], store, **{**ALWAYS, **changes})
    assert web.overlaps() == []
    return done


async def test_what_a_sitemap_names_is_crawled(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web)
        web.answer("a.test", "/sitemap.xml", Answer(urlset(web, "/hidden", "/"), 200, "application/xml"))
        done = await crawled(web, seed, tmp_path / "s.db")
        assert fetched(tmp_path / "s.db") == {web.url("a.test", path) for path in ("/", "/linked", "/hidden")}
        assert len(web.requests("a.test", "/sitemap.xml")) == 1
    assert done.reason is EndReason.EXHAUSTED
    with reading(tmp_path / "s.db") as stored:
        [sitemap] = stored.history.sitemaps()
    assert (sitemap.source, sitemap.entries, sitemap.readings) == ("robots", 2, 1)


async def test_a_crawl_does_not_ask_for_sitemaps_unless_configured_to(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web)
        web.answer("a.test", "/sitemap.xml", Answer(urlset(web, "/hidden"), 200, "application/xml"))
        await crawl(web.addresses, [seed], tmp_path / "s.db")
        assert web.requests("a.test", "/sitemap.xml") == []


async def test_a_recrawl_reads_the_feed_that_a_front_page_names(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        site(web, named="")
        links = "".join(f"<link rel=alternate href={path}>" for path in ("/feed.xml", "/fr/", "/reading-feedback"))
        seed = web.answer("a.test", "/", Answer(f"<html><head>{links}</head><body>Home".encode(), 200, "text/html"))
        feed = f"<rss><channel><item><link>{web.url('a.test', '/hidden')}</link></item></channel></rss>"
        web.answer("a.test", "/feed.xml", Answer(feed.encode(), 200, "application/rss+xml"))
        await crawl(web.addresses, [seed], tmp_path / "s.db")
        assert web.url("a.test", "/hidden") not in fetched(tmp_path / "s.db")
        await crawl(web.addresses, [], tmp_path / "s.db", revisiting=Revisiting())
        assert web.url("a.test", "/hidden") in fetched(tmp_path / "s.db")
    named = rows(tmp_path / "s.db", "SELECT url FROM sitemap WHERE source = 'feed'")
    assert named == [(web.url("a.test", "/feed.xml"),)]


async def test_a_recrawl_asks_for_a_sitemap_in_the_usual_place_and_for_packed_ones_it_names(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web, named="")
        packed = Answer(gzip.compress(urlset(web, "/hidden")), 200, "application/gzip")
        index = f"<sitemapindex><sitemap><loc>{web.url('a.test', '/one.xml.gz')}</loc></sitemap></sitemapindex>"
        web.answer("a.test", "/sitemap.xml", Answer(index.encode(), 200, "application/xml"))
        web.answer("a.test", "/one.xml.gz", packed)
        await crawl(web.addresses, [seed], tmp_path / "s.db")
        await crawl(web.addresses, [], tmp_path / "s.db", revisiting=Revisiting())
        assert web.url("a.test", "/hidden") in fetched(tmp_path / "s.db")
    sources = rows(tmp_path / "s.db", "SELECT source FROM sitemap ORDER BY source")
    assert sources == [("guessed",), ("index",)]


async def test_a_sitemap_is_asked_for_again_on_condition_that_it_has_changed(tmp_path: Path) -> None:
    asked: list[str | None] = []

    async with LoopbackWeb() as web:
        seed = site(web)
        body = urlset(web, "/hidden")

        async def answer(exchange: Exchange) -> None:
            asked.append(exchange.request.headers.get("if-none-match"))
            if asked[-1]:
                await exchange.send(Answer(b"", 304, None, {"ETag": '"1"', "Content-Length": ""}).head())
            else:
                await Answer(body, 200, "application/xml", {"ETag": '"1"'})(exchange)

        web.answer("a.test", "/sitemap.xml", answer)
        await crawled(web, seed, tmp_path / "s.db")
        await crawled(web, seed, tmp_path / "s.db")
        assert asked == [None], "not so soon"
        assert rows(tmp_path / "s.db", "SELECT etag FROM sitemap") == [('"1"',)]


async def test_a_sitemap_that_has_moved_is_followed(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web)
        web.redirect("a.test", "/sitemap.xml", "/map/all.xml")
        web.answer("a.test", "/map/all.xml", Answer(urlset(web, "/hidden"), 200, "application/xml"))
        await crawled(web, seed, tmp_path / "s.db")
        assert web.url("a.test", "/hidden") in fetched(tmp_path / "s.db")


async def test_a_sitemap_at_another_host_waits_until_the_robots_txt_of_that_host_can_be_read(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web)
        web.redirect("a.test", "/sitemap.xml", web.url("b.test", "/map.xml"))
        web.robots("c.test", f"Sitemap: {web.url('b.test', '/named.xml')}")
        for path in ("/map.xml", "/named.xml"):
            web.answer("b.test", path, Answer(urlset(web, "/hidden"), 200, "application/xml"))
        web.answer("b.test", "/robots.txt", first_times(3, status(500), Answer(b"", 200, "text/plain")))
        for path in ("/", "/2"):
            web.page("b.test", path)
            web.page("c.test", path)
        seeds = [seed, *(web.url(host, path) for host in ("b.test", "c.test") for path in ("/", "/2"))]
        await crawl(web.addresses, seeds, tmp_path / "s.db", sitemaps={"use": "always"})
        asked = [request.path for request in web.log if request.host == "b.test"]
    assert asked[:4] == ["/robots.txt"] * 4
    assert sorted(asked[4:]) == ["/", "/2", "/map.xml", "/named.xml", "/sitemap.xml"]


async def test_naming_a_sitemap_permits_no_request_to_another_host_or_path_that_robots_txt_forbids(
    tmp_path: Path,
) -> None:
    async with LoopbackWeb() as web:
        web.robots("b.test", "User-agent: *\nDisallow: /private")
        seed = site(web, named=web.url("b.test", "/private/map.xml"))
        web.page("b.test", "/")
        web.robots("c.test", "User-agent: *\nDisallow: /private\nSitemap: /map.xml")
        web.redirect("c.test", "/map.xml", "/private/map.xml")
        web.page("c.test", "/")
        seeds = [seed, web.url("b.test"), web.url("c.test")]
        await crawl(web.addresses, seeds, tmp_path / "s.db", sitemaps={"use": "always"})
        assert len(web.requests("c.test", "/map.xml")) == 1
        assert [each for each in web.requests() if each.path.startswith("/private")] == []


async def test_what_robots_txt_forbids_is_not_asked_for_unless_it_names_it_itself(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web, named="")
        web.robots("a.test", "User-agent: *\nDisallow: /sitemap.xml\nDisallow: /hidden")
        web.answer("a.test", "/sitemap.xml", Answer(urlset(web, "/hidden"), 200, "application/xml"))
        await crawled(web, seed, tmp_path / "s.db")
        assert web.requests("a.test", "/sitemap.xml") == []
        web.robots("b.test", "User-agent: *\nDisallow: /s.xml\nSitemap: /s.xml")
        listed = urlset(web, "/x").replace(b"a.test", b"b.test")
        web.answer("b.test", "/s.xml", Answer(listed, 200, "application/xml"))
        web.page("b.test", "/x")
        other = web.page("b.test", "/")
        await crawled(web, other, tmp_path / "t.db")
        assert web.url("b.test", "/x") in fetched(tmp_path / "t.db")


@pytest.mark.parametrize(
    "bad",
    [
        Answer(b"not here", 404),
        Answer(b"<html><p>An error", 200),
        Answer(b"<urlset><url><loc>", 200, "application/xml"),
        Answer(b"\x1f\x8bbroken", 200, "application/gzip"),
        Answer(gzip.compress(bytes(20_000_000)), 200, "application/gzip"),
        drop,
    ],
    ids=["missing", "a page", "broken off", "not packed", "bomb", "no answer"],
)
async def test_a_bad_sitemap_costs_no_page(bad: Any, tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web)
        web.answer("a.test", "/sitemap.xml", bad)
        done = await crawled(web, seed, tmp_path / "s.db")
        assert fetched(tmp_path / "s.db") == {web.url("a.test", "/"), web.url("a.test", "/linked")}
    assert done.reason is EndReason.EXHAUSTED
    [(retired, failures)] = rows(tmp_path / "s.db", "SELECT retired IS NOT NULL, failures FROM sitemap")
    assert retired or failures or bad is not drop


async def test_pages_of_other_domains_that_a_sitemap_names_are_not_crawled(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = site(web)
        web.page("b.test", "/other")
        other = f"<url><loc>{web.url('b.test', '/other')}</loc></url></urlset>"
        foreign = urlset(web, "/hidden").replace(b"</urlset>", other.encode())
        web.answer("a.test", "/sitemap.xml", Answer(foreign, 200, "application/xml"))
        await crawled(web, seed, tmp_path / "s.db")
        assert web.requests("b.test") == []


async def test_new_pages_in_a_sitemap_are_found_by_a_recrawl_even_if_nothing_else_has_changed(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        Documents(web, home=home("a"), a=TEXT.format("old", ""), b=TEXT.format("b", ""))
        web.robots("a.test", "Sitemap: /map.xml")
        web.answer("a.test", "/map.xml", Answer(urlset(web, "/home", "/a", "/b"), 200, "application/xml"))
        await crawl(web.addresses, [web.url("a.test", "/home")], tmp_path / "s.db")
        done = await crawl(web.addresses, [], tmp_path / "s.db", revisiting=Revisiting())
        assert web.url("a.test", "/b") in fetched(tmp_path / "s.db")
    revisits = done.statistics.of(RevisitStatistics)
    assert revisits is not None
    assert dict(revisits.looks) == {"same": 2, "new": 1}


def test_one_that_is_on_its_way_for_longer_than_a_day_is_not_asked_for_twice() -> None:
    frontier = Frontier(PolitenessSettings(), random=lambda: 0.5)
    host = frontier.add_host()
    sitemaps = Sitemaps(KnownSitemaps(), Canonicaliser(max_length=1_000))
    sitemaps.robots_read("http://a.test", ["/sitemap.xml"], 0.0)
    for day in range(5):
        sitemaps.send_due(frontier, lambda _: host, day * 86_400.0 + 10.0)
    assert frontier.counts().hosts_ready == 1
    assert sitemaps.is_busy
    sitemaps.failed("http://a.test/sitemap.xml", 404, 500_000.0)
    assert not sitemaps.is_busy


def test_one_whose_host_is_given_up_holds_up_nothing() -> None:
    frontier = Frontier(PolitenessSettings(), random=lambda: 0.5)
    host = frontier.add_host()
    sitemaps = Sitemaps(KnownSitemaps(), Canonicaliser(max_length=1_000))
    sitemaps.robots_read("http://a.test", ["/sitemap.xml"], 0.0)
    sitemaps.send_due(frontier, lambda _: host, 10.0)
    assert sitemaps.is_busy
    visit = frontier.next_visit(20.0)
    assert isinstance(visit, Visit)
    frontier.held(visit, 20.0)
    sitemaps.send_due(frontier, lambda _: host, 30.0)
    assert not sitemaps.is_busy
