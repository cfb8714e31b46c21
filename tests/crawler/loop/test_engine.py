"""Whole crawls of a real web: what is fetched, what is only recorded, and why a crawl ends."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.loop.crawl import Crawl
from tests.support.crawling import crawl, fetched, links, rows, states, wait_until
from tests.support.web import Exchange, LoopbackWeb, graph_page, random_graph, web_from_graph
from tests.support.web_behaviours import (
    calendar_trap,
    hops_on,
    redirect_chain,
    redirect_loop,
    slow_first_byte,
    spellings_of_itself,
    status,
    throttled,
)

pytestmark = pytest.mark.slow

# --- everything within reach, once --------------------------------------------------------------


@pytest.mark.parametrize("policy", ["bfs", "dfs", "random", "indegree"])
async def test_every_page_within_reach_is_fetched_once_and_every_link_recorded(policy: str, tmp_path: Path) -> None:
    sources, targets = random_graph(seed=3, n=120)
    async with LoopbackWeb() as web:
        web_from_graph(sources, targets, 120, 20, web)
        urls = [web.url(*graph_page(page, 20)) for page in range(120)]
        crawled = await crawl(
            web.addresses,
            urls[:1],
            tmp_path / "store.db",
            policy={"name": policy, "refresh_pages": 10},
            scope={"hosts": tuple(f"{host}:{web.port}" for host in web.addresses)},
        )
    assert crawled.reason.label == "exhausted"
    assert states(crawled.store) == dict.fromkeys(urls, "fetched")
    assert set(web.fetches().values()) == {1}
    expected = {(urls[a], urls[b], "a") for a, b in zip(sources, targets, strict=True) if a != b}
    assert links(crawled.store) == expected
    assert crawled.statistics.pages_fetched == 120
    assert crawled.statistics.links == len(expected)


async def test_pages_are_numbered_and_visits_counted_in_order(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/1", "/2", "/3"])
        for path in ("/1", "/2", "/3"):
            web.page("a.test", path, links=["/4"])
        web.page("a.test", "/4")
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    paths = [url.removeprefix(seed) for (url,) in rows(crawled.store, "SELECT url FROM page ORDER BY id")]
    assert paths == ["", "1", "2", "3", "4"]
    assert rows(crawled.store, "SELECT min(id), max(id), min(visit), max(visit) FROM page JOIN fetch ON page = id") == [
        (0, 4, 1, 5)
    ]
    assert rows(crawled.store, "SELECT depth, count(*) FROM page GROUP BY depth") == [(0, 1), (1, 3), (2, 1)]
    assert rows(crawled.store, "SELECT referrer FROM page ORDER BY id") == [(None,), (0,), (0,), (0,), (1,)]


async def test_however_a_link_is_spelt_its_page_is_fetched_once(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = spellings_of_itself(web, "a.test", "/dir/page")
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert states(crawled.store) == {seed: "fetched"}
    assert web.fetches() == {("a.test", "/dir/page"): 1}


# --- what is not followed -----------------------------------------------------------------------


async def test_links_that_leave_the_scope_are_recorded_but_not_requested(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        inside = web.page("a.test", "/in")
        outside = web.page("b.test", "/")
        seed = web.page("a.test", "/", links=["/in", outside, "mailto:a@b.c"])
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert states(crawled.store) == {seed: "fetched", inside: "fetched", outside: "known"}
    assert links(crawled.store) == {(seed, inside, "a"), (seed, outside, "a")}
    assert rows(crawled.store, "SELECT url, is_local FROM page ORDER BY id") == [
        (seed, 1), (inside, 1), (outside, 0),
    ]  # fmt: skip
    assert {request.host for request in web.log} == {"a.test"}


NOFOLLOW_WAYS = {
    "link": ('<a rel="external nofollow" href="/hidden">', {}, "obey_nofollow"),
    "meta": ('<meta name=robots content="NOFOLLOW"><a href="/hidden">', {}, "obey_page_directives"),
    "meta for us": ('<meta name=hinterland content="none"><a href="/hidden">', {}, "obey_page_directives"),
    "header": ('<a href="/hidden">', {"X-Robots-Tag": "nofollow"}, "obey_page_directives"),
    "header for us": (
        '<a href="/hidden">', {"X-Robots-Tag": "otherbot: all, hinterland: nofollow"}, "obey_page_directives",
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", NOFOLLOW_WAYS)
@pytest.mark.parametrize("is_obeyed", [True, False])
async def test_nofollow_is_recorded_and_obeyed_unless_settings_say_otherwise(
    way: str, is_obeyed: bool, tmp_path: Path
) -> None:
    html, headers, setting = NOFOLLOW_WAYS[way]
    async with LoopbackWeb() as web:
        hidden = web.page("a.test", "/hidden")
        seed = web.page("a.test", "/", html=f"<!doctype html>{html}hidden</a>", headers=headers)
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db", robots={setting: is_obeyed})
    assert crawled.state(hidden) == ("known" if is_obeyed else "fetched")
    assert rows(crawled.store, "SELECT source, target, nofollow FROM links") == [(seed, hidden, 1)]
    assert rows(crawled.store, "SELECT is_nofollow FROM fetch WHERE page = 0") == [(int(way != "link"),)]


async def test_a_page_that_one_link_disowns_is_fetched_if_another_vouches_for_it(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        page = web.page("a.test", "/page")
        web.page("a.test", "/second", links=["/page"])
        seed = web.page("a.test", "/", html='<a rel=nofollow href="/page">x</a><a href="/second">y</a>')
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert crawled.state(page) == "fetched"


async def test_a_page_that_asks_not_to_be_shown_is_fetched_and_marked(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        page = web.page("a.test", "/page")
        seed = web.page("a.test", "/", ["/page"], headers={"X-Robots-Tag": "noindex"})
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert crawled.state(page) == "fetched"
    assert rows(crawled.store, "SELECT url FROM pages WHERE is_noindex") == [(seed,)]


# --- redirects ----------------------------------------------------------------------------------


async def test_redirects_are_visits_and_links_of_their_own(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        end = web.page("a.test", "/end")
        hops = hops_on("a.test", 4)
        first = redirect_chain(web, hops, ("a.test", "/end"))
        seed = web.page("a.test", "/", links=[hops[0][1]])
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    urls = [web.url(*hop) for hop in hops]
    assert states(crawled.store) == {seed: "fetched", **dict.fromkeys(urls, "redirected"), end: "fetched"}
    assert links(crawled.store) == {
        (seed, first, "a"),
        *((source, target, "redirect") for source, target in zip(urls, [*urls[1:], end], strict=True)),
    }
    assert crawled.statistics.links == 5
    assert rows(crawled.store, "SELECT redirect_target FROM pages WHERE url = ?", first) == [(urls[1],)]
    depths_and_chain = rows(crawled.store, "SELECT depth, redirects FROM page ORDER BY id")
    assert depths_and_chain == [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4)]


async def test_a_redirect_loop_ends_by_itself(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = redirect_loop(web, hops_on("a.test", 3))
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert set(states(crawled.store).values()) == {"redirected"}
    assert len(links(crawled.store)) == 3
    assert set(web.fetches().values()) == {1}
    assert crawled.reason.label == "nothing-fetched"


async def test_a_chain_of_redirects_is_followed_as_far_as_settings_allow(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        hops = hops_on("a.test", 6)
        long_chain = redirect_chain(web, hops, ("a.test", "/end"))
        end = web.page("a.test", "/end")
        short_chain = redirect_chain(web, hops_on("b.test", 4), ("b.test", "/end"))
        short_end = web.page("b.test", "/end")
        crawled = await crawl(
            web.addresses, [long_chain, short_chain], tmp_path / "store.db", fetching={"max_redirects": 4}
        )
    outcomes = [crawled.outcome(web.url(*hop)) for hop in hops]
    assert outcomes == [*["redirected"] * 4, "too_many_redirects", None]
    assert crawled.state(web.url(*hops[4])) == "failed"
    assert (web.url(*hops[4]), web.url(*hops[5]), "redirect") in links(crawled.store)
    assert crawled.state(end) is None
    assert crawled.state(short_end) == "fetched"


async def test_the_length_of_a_chain_of_redirects_survives_a_restart(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        hops = hops_on("a.test", 6)
        seed = redirect_chain(web, hops, ("a.test", "/end"))

        async def stop_soon(crawl: Crawl) -> None:
            await wait_until(lambda: web.requests("a.test", "/hop2"))
            crawl.stop()

        fetching = {"max_redirects": 4}
        stopped = await crawl(web.addresses, [seed], tmp_path / "s.db", fetching=fetching, watch=stop_soon)
        assert stopped.reason.label == "stopped"
        crawled = await crawl(web.addresses, [seed], tmp_path / "s.db", fetching=fetching)
    assert crawled.outcome(web.url(*hops[4])) == "too_many_redirects"


async def test_a_seed_that_has_moved_takes_the_scope_along_a_link_does_not(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.page("new.test", "/", links=["/inside", ("away.test", "/from")])
        inside = web.page("new.test", "/inside")
        away = web.url("away.test", "/from")
        seed = web.redirect("old.test", "/", ("new.test", "/"))
        web.page("other.test", "/", links=["/leads-away"])
        leads_away = web.redirect("other.test", "/leads-away", ("elsewhere.test", "/"))
        elsewhere = web.page("elsewhere.test", "/")
        crawled = await crawl(web.addresses, [seed, web.url("other.test")], tmp_path / "store.db")
    assert crawled.state(inside) == "fetched"
    assert crawled.state(away) == "known"
    assert crawled.outcome(leads_away) == "redirected"
    assert crawled.state(elsewhere) == "known"
    assert web.requests("elsewhere.test") == []


async def test_a_redirect_to_what_robots_forbid_is_refused_there(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.robots("a.test", "User-agent: *\nDisallow: /private")
        forbidden = web.page("a.test", "/private/page")
        seed = web.redirect("a.test", "/", "/private/page")
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert crawled.outcome(seed) == "redirected"
    assert (crawled.state(forbidden), crawled.outcome(forbidden)) == ("refused", "robots")
    assert web.requests("a.test", "/private/page") == []


# --- limits and endings -------------------------------------------------------------------------


@pytest.mark.parametrize("max_pages", [1, 7, 23])
async def test_the_page_budget_is_met_exactly(max_pages: int, tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        for number in range(40):
            web.page(f"h{number}.test", "/", links=["/missing"])
        seeds = [web.url(host) for host in web.addresses]
        crawled = await crawl(web.addresses, seeds, tmp_path / "store.db", max_pages=max_pages)
        assert crawled.reason.label == "max-pages"
        assert len(fetched(crawled.store)) == max_pages
        served = [request for request in web.requests() if request.status == 200]
        assert len(served) == max_pages, "no page is fetched beyond the budget and thrown away"
        more = await crawl(web.addresses, seeds, tmp_path / "store.db", max_pages=max_pages + 5)
    assert len(fetched(more.store)) == max_pages + 5, "the budget is that of the store"
    assert more.statistics.fetched_before == max_pages
    assert more.statistics.pages_fetched == 5


async def test_pages_that_fail_do_not_count_against_the_budget(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        broken = [web.answer(f"broken{n}.test", "/", status(404)) for n in range(10)]
        good = [web.page(f"good{n}.test", "/") for n in range(3)]
        crawled = await crawl(web.addresses, [*broken, *good], tmp_path / "store.db", max_pages=3)
    assert fetched(crawled.store) == set(good)


async def test_a_host_without_end_is_left_after_its_page_limit(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = calendar_trap(web, "trap.test")
        good = web.page("good.test", "/", links=["/1", "/2"])
        web.page("good.test", "/1")
        web.page("good.test", "/2")
        crawled = await crawl(web.addresses, [seed, good], tmp_path / "store.db", scope={"max_pages_per_host": 5})
    assert len(web.requests("trap.test")) == 5
    assert len(web.requests("good.test")) == 3
    assert crawled.reason.label == "exhausted"
    assert crawled.statistics.frontier.stranded > 0


async def test_links_are_followed_to_the_depth_asked_for(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        for depth in range(6):
            web.page("a.test", f"/{depth}", links=[f"/{depth + 1}"])
        crawled = await crawl(web.addresses, [web.url("a.test", "/0")], tmp_path / "store.db", scope={"max_depth": 3})
        assert [crawled.state(web.url("a.test", f"/{depth}")) for depth in range(6)] == [
            *["fetched"] * 4, "known", None,
        ]  # fmt: skip


async def test_a_page_found_too_deep_is_fetched_once_a_shorter_way_is_found(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/", links=["/slow", "/1"])
        web.page("a.test", "/1", links=["/2"])
        web.page("a.test", "/2", links=["/page"])
        web.answer("a.test", "/slow", slow_first_byte(0.1, web.handler("a.test", "/2")))
        page = web.page("a.test", "/page")
        crawled = await crawl(
            web.addresses, [web.url("a.test")], tmp_path / "store.db", scope={"max_depth": 2}, policy={"name": "dfs"}
        )
    assert crawled.state(page) == "fetched"


def detour(web: LoopbackWeb) -> str:
    """/c is 3 links away by /a and /b, as a depth-first order finds it, but 2 by /x; behind it are /moved and /e."""
    web.page("a.test", "/", links=["/a", "/x"])
    web.page("a.test", "/a", links=["/b"])
    web.page("a.test", "/b", links=["/c"])
    web.page("a.test", "/x", links=["/c"])
    web.page("a.test", "/c", links=["/moved"])
    web.redirect("a.test", "/moved", "/d")
    web.page("a.test", "/d", links=["/e"])
    web.page("a.test", "/e")
    return web.url("a.test", "/")


@pytest.mark.parametrize("policy", ["bfs", "dfs", "random", "pagerank"])
async def test_what_lies_within_the_depth_asked_for_does_not_depend_on_the_order(policy: str, tmp_path: Path) -> None:
    def depths() -> list[tuple[str, int, str]]:
        found = rows(crawled.store, "SELECT url, depth, state FROM page")
        return sorted((url.rpartition("/")[2], depth, state) for url, depth, state in found)

    async with LoopbackWeb() as web:
        seed = detour(web)
        order = {"name": policy}
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db", scope={"max_depth": 3}, policy=order)
        nearby = [("", 0), ("a", 1), ("b", 2), ("c", 2), ("d", 3), ("moved", 3), ("x", 1)]
        fetched = [(path, depth, "redirected" if path == "moved" else "fetched") for path, depth in nearby]
        assert depths() == sorted([*fetched, ("e", 4, "known")])
        crawled = await crawl(web.addresses, [], tmp_path / "store.db", scope={"max_depth": 4}, policy=order)
    assert depths() == sorted([*fetched, ("e", 4, "fetched")])
    assert len(web.log) == 1 + 8, "nothing was fetched twice"


async def test_a_crawl_that_gets_nothing_says_so(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        crawled = await crawl(web.addresses, [web.url(web.host("a.test"))], tmp_path / "store.db")
    assert crawled.reason.label == "nothing-fetched"


async def test_hosts_that_keep_failing_are_given_up_and_tried_again_by_the_next_run(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        good = web.page("good.test", "/")
        bad = web.answer("bad.test", "/", throttled(429, "0"))
        give_up = {"give_up_after_failures": 3}
        first = await crawl(web.addresses, [good, bad], tmp_path / "store.db", politeness=give_up)
        assert first.reason.label == "hosts-given-up"
        assert first.state(bad) == "waiting"
        assert len(web.requests("bad.test")) == 3
        assert rows(first.store, "SELECT url, is_given_up FROM host ORDER BY id") == [(good[:-1], 0), (bad[:-1], 1)]
        web.page("bad.test", "/")
        second = await crawl(web.addresses, [good, bad], tmp_path / "store.db", politeness=give_up)
    assert second.reason.label == "exhausted"
    assert second.state(bad) == "fetched"
    assert len(web.requests("good.test")) == 1


async def test_asked_to_stop_it_finishes_what_is_under_way(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        for number in range(8):
            web.page(f"h{number}.test", "/", links=["/next"])
            web.answer(f"h{number}.test", "/next", slow_first_byte(0.1, web.handler(f"h{number}.test", "/")))
        open_at_stop: list[str] = []

        async def stop(crawl: Crawl) -> None:
            await wait_until(lambda: len(web.requests(path="/next")) >= 4)
            crawl.stop()
            open_at_stop.extend(request.host for request in web.log if request.path == "/next")

        crawled = await crawl(
            web.addresses, [web.url(host) for host in web.addresses], tmp_path / "store.db", watch=stop
        )
    assert crawled.reason.label == "stopped"
    asked = {web.url(host, path) for host, path in web.fetches()}
    assert fetched(crawled.store) == asked, "every page asked for is in the store"
    assert {web.url(host, "/next") for host in open_at_stop} <= asked


async def test_the_run_is_recorded_with_its_reason_and_its_numbers(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/")
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db", fetching={"headers": {"X-Key": "secret"}})
    [row] = rows(
        crawled.store,
        "SELECT reason, command, ended_at >= started_at, progress ->> '$.pages_fetched',"
        " settings ->> '$.fetching.max_in_flight', settings LIKE '%secret%' FROM run",
    )
    assert row == ("exhausted", '["crawl"]', 1, 1, 16, 0)


async def test_a_bug_in_the_order_of_visits_ends_the_crawl_instead_of_hanging_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Frontier, now: float, *, lookups: bool) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Frontier, "next_visit", fail)
    async with LoopbackWeb() as web:
        with pytest.raises(ExceptionGroup) as caught:
            await crawl(web.addresses, [web.page("a.test", "/")], tmp_path / "store.db")
    assert caught.value.subgroup(ZeroDivisionError) is not None


# --- manners of a request -----------------------------------------------------------------------


async def test_requests_say_who_asks_and_send_no_cookies_back(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/next"], headers={"Set-Cookie": "id=1"})
        web.page("a.test", "/next")
        await crawl(
            web.addresses,
            [seed],
            tmp_path / "store.db",
            identity={"contact": "https://me.example/"},
            fetching={"headers": {"X-Study": "links"}},
        )
    for request in web.log:
        assert request.headers["user-agent"].startswith("Hinterland/")
        assert request.headers["user-agent"].endswith("(+https://me.example/)")
        assert request.headers["x-study"] == "links"
        assert "cookie" not in request.headers
    assert {request.connection for request in web.log} == {1}, "the connection is kept"


async def test_hosts_that_share_an_address_share_its_limit(tmp_path: Path) -> None:
    limit = 3
    most_open = open_now = 0
    is_reached = asyncio.Event()

    async def count(exchange: Exchange) -> None:
        nonlocal most_open, open_now
        open_now += 1
        most_open = max(most_open, open_now)
        if open_now == limit:
            is_reached.set()
        await is_reached.wait()
        await asyncio.sleep(0.005)  # one more has the time to come
        open_now -= 1
        await status(404)(exchange)

    async with LoopbackWeb() as web:
        seeds = [web.answer(f"h{number}.test", "/", count) for number in range(12)]
        await crawl(web.addresses, seeds, tmp_path / "store.db", politeness={"address_connections": limit})
    assert most_open == limit
    assert len(web.requests()) == 12


async def test_few_requests_at_a_time_do_not_all_wait_for_a_transaction(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seeds = [web.page(f"h{number}.test", "/") for number in range(20)]
        storage, fetching = {"commit_seconds": 60.0}, {"max_in_flight": 6}
        crawling = asyncio.create_task(
            crawl(web.addresses, seeds, tmp_path / "store.db", storage=storage, fetching=fetching)
        )
        await wait_until(lambda: len(web.fetches()) == len(seeds))
        crawling.cancel()
        with suppress(asyncio.CancelledError):
            await crawling
