"""robots.txt in whole crawls: asked for first, once, and obeyed whatever happens to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from hinterland.crawler.loop.crawl import Crawl
from tests.support.crawling import crawl, fetched, rows, wait_until
from tests.support.web import Answer, Handler, LoopbackWeb, gaps
from tests.support.web_behaviours import (
    OK_PAGE,
    drop,
    encoded,
    first_times,
    huge_robots,
    robots_chain,
    slow_first_byte,
    status,
    throttled,
    truncated,
)

pytestmark = pytest.mark.slow

FORBIDS_PRIVATE = "User-agent: *\nDisallow: /private\n"
FORBIDS_ALL = "User-agent: *\nDisallow: /\n"


def text(robots: str) -> Answer:
    return Answer(robots.encode(), content_type="text/plain")


async def test_robots_txt_is_the_first_request_to_a_host_and_made_once(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        for number in range(5):
            host = web.host(f"h{number}.test")
            web.answer(host, "/robots.txt", slow_first_byte(0.02, text(FORBIDS_PRIVATE)))
            web.page(host, "/", links=["/1", "/2", "/private/x"])
            web.page(host, "/1")
            web.page(host, "/2")
        crawled = await crawl(web.addresses, [web.url(host) for host in web.addresses], tmp_path / "store.db")
    for host in web.addresses:
        paths = [request.path for request in web.log if request.host == host]
        assert paths[0] == "/robots.txt"
        assert sorted(paths[1:]) == ["/", "/1", "/2"]
        assert crawled.outcome(web.url(host, "/private/x")) == "robots"
    assert crawled.statistics.robots_fetched == 5
    assert crawled.statistics.outcomes == {"fetched": 15, "robots": 5}


async def test_what_robots_txt_says_is_stored(tmp_path: Path) -> None:
    robots = f"{FORBIDS_PRIVATE}Crawl-delay: 0.02\nSitemap: https://a.test/map.xml\n"
    async with LoopbackWeb() as web:
        web.robots("a.test", robots)
        crawled = await crawl(web.addresses, [web.page("a.test", "/")], tmp_path / "store.db")
    assert rows(
        crawled.store, "SELECT host, status, text, crawl_delay, sitemaps, expires_at - fetched_at FROM robots"
    ) == [(0, 200, robots.encode(), 0.02, '["https://a.test/map.xml"]', 86_400.0)]


@pytest.mark.parametrize(
    "handler", [status(404), status(403), status(410), Answer(b"", 304), Answer(b"", 301)],
    ids=["404", "403", "410", "304", "redirect nowhere"],
)  # fmt: skip
async def test_a_host_without_robots_txt_allows_all(handler: Handler, tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/robots.txt", handler)
        page = web.page("a.test", "/private/page")
        crawled = await crawl(web.addresses, [page], tmp_path / "store.db")
    assert crawled.outcome(page) == "fetched"


@pytest.mark.parametrize(
    "handler",
    [
        status(500),
        status(503),
        throttled(429, "0"),
        drop,
        truncated(text(FORBIDS_PRIVATE)),
        replace(text(FORBIDS_PRIVATE), headers={"Content-Encoding": "gzip"}),
    ],
    ids=["500", "503", "429", "network failure", "truncated", "no gzip"],
)
async def test_while_robots_txt_cannot_be_read_nothing_is_fetched_then_all_that_it_allows(
    handler: Handler, tmp_path: Path
) -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/robots.txt", first_times(3, handler, text(FORBIDS_PRIVATE)))
        page = web.page("a.test", "/page")
        forbidden = web.page("a.test", "/private/page")
        patient = {"give_up_unheard_after_failures": 8}
        crawled = await crawl(web.addresses, [page, forbidden], tmp_path / "store.db", politeness=patient)
    assert [request.path for request in web.log] == [*["/robots.txt"] * 4, "/page"]
    assert crawled.outcome(page) == "fetched"
    assert crawled.outcome(forbidden) == "robots"
    assert crawled.reason.label == "exhausted"


async def test_a_robots_txt_that_can_never_be_read_keeps_its_host_closed(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/robots.txt", status(500))
        page = web.page("a.test", "/page")
        good = web.page("b.test", "/")
        crawled = await crawl(
            web.addresses, [page, good], tmp_path / "store.db", politeness={"give_up_after_failures": 4}
        )
    assert crawled.reason.label == "hosts-given-up"
    assert crawled.state(page) == "waiting"
    assert web.requests("a.test") == []
    assert len(web.requests("a.test", "/robots.txt")) == 4
    assert rows(crawled.store, "SELECT last_error FROM host WHERE is_given_up") == [("robots.txt: status 500",)]
    assert crawled.statistics.host_failures == {"unavailable": 4}


# --- redirected ---------------------------------------------------------------------------------


async def test_a_robots_txt_is_followed_through_five_redirects_across_hosts(tmp_path: Path) -> None:
    hosts = [f"h{n}.test" for n in range(6)]
    async with LoopbackWeb() as web:
        robots_chain(web, hosts, FORBIDS_PRIVATE)
        page = web.page("h0.test", "/page")
        forbidden = web.page("h0.test", "/private/page")
        crawled = await crawl(web.addresses, [page, forbidden], tmp_path / "store.db")
    assert crawled.outcome(page) == "fetched"
    assert crawled.outcome(forbidden) == "robots"
    assert [request.host for request in web.log if request.path == "/robots.txt"] == hosts
    assert rows(crawled.store, "SELECT count(*) FROM page") == [(2,)], "no page of these hosts became known"


async def test_a_robots_txt_that_is_redirected_too_often_counts_as_none(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        robots_chain(web, [f"h{n}.test" for n in range(8)], FORBIDS_ALL)
        page = web.page("h0.test", "/page")
        crawled = await crawl(web.addresses, [page], tmp_path / "store.db")
    assert crawled.outcome(page) == "fetched"
    assert len([request for request in web.log if request.path == "/robots.txt"]) == 6


async def test_a_redirect_to_the_robots_txt_of_another_host_changes_nothing_for_that_one(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.redirect("moved.test", "/robots.txt", ("shared.test", "/moved/robots.txt"))
        web.robots("shared.test", FORBIDS_PRIVATE)
        web.answer("shared.test", "/moved/robots.txt", text("User-agent: *\nDisallow: /secret"))
        urls = [web.page(host, path) for host in ("moved.test", "shared.test") for path in ("/private", "/secret")]
        crawled = await crawl(web.addresses, urls, tmp_path / "store.db")
    assert [crawled.outcome(url) for url in urls] == ["fetched", "robots", "robots", "fetched"]


async def test_a_robots_txt_that_has_moved_to_a_forbidden_address_keeps_its_host_closed(tmp_path: Path) -> None:
    async with LoopbackWeb(addresses=("127.0.0.1", "127.0.0.2")) as web:
        web.robots(web.host("inside.test", "127.0.0.2"), "")
        web.redirect("a.test", "/robots.txt", ("inside.test", "/robots.txt"))
        page = web.page("a.test", "/")
        crawled = await crawl(
            web.addresses,
            [page],
            tmp_path / "store.db",
            fetching={"allow_networks": ("127.0.0.1/32",)},
            politeness={"give_up_after_failures": 2},
        )
    assert crawled.state(page) == "waiting"
    assert web.requests() == []
    assert {request.address for request in web.log} == {"127.0.0.1"}


async def test_redirected_robots_txt_survives_that_its_new_host_fails_for_a_while(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.redirect("a.test", "/robots.txt", ("b.test", "/robots.txt"))
        web.answer("b.test", "/robots.txt", first_times(2, status(503), text(FORBIDS_PRIVATE)))
        page = web.page("a.test", "/page")
        forbidden = web.page("a.test", "/private")
        crawled = await crawl(web.addresses, [page, forbidden], tmp_path / "store.db")
    assert crawled.outcome(page) == "fetched"
    assert crawled.outcome(forbidden) == "robots"


# --- remembered ---------------------------------------------------------------------------------


async def test_robots_txt_is_remembered_by_the_next_run(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.robots("a.test", FORBIDS_PRIVATE)
        seed = web.page("a.test", "/", links=["/private/page", "/page"])
        forbidden = web.url("a.test", "/private/page")
        web.page("a.test", "/page")
        await crawl(web.addresses, [seed], tmp_path / "store.db", max_pages=1)
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert crawled.outcome(forbidden) == "robots"
    assert len(web.requests("a.test", "/robots.txt")) == 1
    assert crawled.statistics.robots_fetched == 0


async def test_robots_txt_is_asked_for_again_when_it_has_grown_old(tmp_path: Path) -> None:
    store, day = tmp_path / "store.db", 86_400
    async with LoopbackWeb() as web:
        web.answer("a.test", "/robots.txt", first_times(1, text(""), text(FORBIDS_ALL)))
        seed = web.page("a.test", "/", links=["/page"])
        page = web.page("a.test", "/page")
        await crawl(web.addresses, [seed], store, max_pages=1, robots={"max_age_seconds": day})
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("UPDATE robots SET fetched_at = fetched_at - ?1, expires_at = expires_at - ?1", (day,))
        crawled = await crawl(web.addresses, [seed], store)
    assert fetched(crawled.store) == {seed}
    assert crawled.outcome(page) == "robots"
    assert len(web.requests("a.test", "/robots.txt")) == 2


async def test_a_crawl_delay_is_kept_up_to_the_cap_also_in_the_next_run(tmp_path: Path) -> None:
    asked, cap = 0.12, 0.15
    async with LoopbackWeb() as web:
        for host, delay in (("a.test", asked), ("b.test", 3600)):
            web.robots(host, f"User-agent: *\nCrawl-delay: {delay}")
            web.page(host, "/", links=["/1", "/2"])
            web.page(host, "/1")
            web.page(host, "/2")
        seeds = [web.url("a.test"), web.url("b.test")]

        async def stop_soon(crawl: Crawl) -> None:
            await wait_until(lambda: len(web.requests()) == 2)
            crawl.stop()

        robots = {"max_crawl_delay_seconds": cap}
        await crawl(web.addresses, seeds, tmp_path / "store.db", robots=robots, watch=stop_soon)
        await crawl(web.addresses, seeds, tmp_path / "store.db", robots=robots)
    assert min(web.gaps("a.test")) >= asked
    assert min(web.gaps("b.test")) >= cap
    assert len(gaps(request for request in web.log if request.host == "b.test")) == 3


# --- large --------------------------------------------------------------------------------------


async def test_a_huge_robots_txt_is_read_as_far_as_500_kib_and_no_further(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.robots("near.test", huge_robots(FORBIDS_ALL, 480_000))
        web.robots("far.test", huge_robots(FORBIDS_ALL, 30_000_000))
        near, far = web.page("near.test", "/"), web.page("far.test", "/")
        crawled = await crawl(web.addresses, [near, far], tmp_path / "store.db", fetching={"max_body_bytes": 10_000})
    assert crawled.outcome(near) == "robots"
    assert crawled.outcome(far) == "fetched"


async def test_a_compressed_robots_txt_is_read(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/robots.txt", encoded(text(FORBIDS_ALL), "gzip"))
        page = web.answer("a.test", "/", OK_PAGE)
        crawled = await crawl(web.addresses, [page], tmp_path / "store.db")
    assert crawled.outcome(page) == "robots"


async def test_a_crawl_delay_is_stored_as_it_is_asked_for_and_cut_by_the_limit_of_each_run(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.robots("a.test", "User-agent: *\nCrawl-delay: 0.4\n")
        seed = web.page("a.test", "/", links=["/1", "/2"])
        web.page("a.test", "/1")
        web.page("a.test", "/2", links=["/3", "/4"])
        await crawl(web.addresses, [seed], tmp_path / "s.db", max_pages=2, robots={"max_crawl_delay_seconds": 0.01})
        assert rows(tmp_path / "s.db", "SELECT crawl_delay FROM robots") == [(0.4,)]
        web.log.clear()
        for path in ("/3", "/4"):
            web.page("a.test", path)
        await crawl(web.addresses, [], tmp_path / "s.db", robots={"max_crawl_delay_seconds": 10.0})
        assert [request.path for request in web.log] == ["/2", "/3", "/4"]
        assert min(web.gaps("a.test")) > 0.99 * 0.4


async def test_with_little_memory_for_robots_txt_every_host_is_judged_by_its_own(tmp_path: Path) -> None:
    padding = "# padding\n" * 30_000
    names = [f"n{number}.wild.test" for number in range(7)]  # two megabytes; each visit of a host may read its file
    async with LoopbackWeb() as web:
        seeds = []
        for name in names:
            web.robots(name, f"User-agent: *\nDisallow: /{name}\n{padding}")
            paths = [f"/{other}" for other in names]
            seeds.append(web.page(name, "/", links=paths))
            for path in paths:
                web.page(name, path)
        await crawl(web.addresses, seeds, tmp_path / "s.db", robots={"max_memory_mb": 1})
        expected = {web.url(name, "/") for name in names}
        expected |= {web.url(name, f"/{other}") for name in names for other in names if other != name}
        assert fetched(tmp_path / "s.db") == expected
        assert sum(request.path == "/robots.txt" for request in web.log) == len(names)
