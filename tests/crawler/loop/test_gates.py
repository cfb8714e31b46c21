"""Hosts whose bot filters or walls stand before their pages: nothing of a gate is stored, and its host rests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hinterland.crawler.loop.crawl import Crawl
from tests.crawler.loop.test_revisits import crawled as first_crawled
from tests.crawler.loop.test_revisits import looks, recrawled
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import crawl, fetched, rows, states, wait_until
from tests.support.gate_pages import GATE_PAGES
from tests.support.web import Answer, Exchange, Handler, LoopbackWeb
from tests.support.web_behaviours import chunked, encoded, first_times

PATHS = [f"/{number}" for number in range(15)]
ANUBIS = Answer(GATE_PAGES["Anubis"][1])
DATADOME = Answer(GATE_PAGES["DataDome"][1], 403)
GATES: dict[str, Handler] = {
    "markup, status 200": ANUBIS,
    "markup, status 200, packed": encoded(ANUBIS, "gzip"),
    "markup, status 200, in chunks": chunked(ANUBIS),
    "markup, status 403": DATADOME,
    "markup, status 403, packed and in chunks": chunked(encoded(DATADOME, "br")),
    "a field, status 403": Answer(b"<p>" * 9000, 403, headers={"cf-mitigated": "challenge"}),
    "a field, status 202 and nothing else": Answer(b"", 202, headers={"x-amzn-waf-action": "challenge"}),
    "a field, status 429": Answer(b"", 429, headers={"x-vercel-mitigated": "challenge", "Retry-After": "0"}),
    "a redirect": Answer(b"", 302, headers={"Location": "https://consent.yahoo.com/v2/collectConsent"}),
}


IN_PROCESSES = "markup, status 200"
"""The gate that is recognised in processes that parse, as in earnest; to start some takes longer than all the rest."""


class Filter:
    """Lets some requests through and answers the next ones itself, until it opens again. Mutable."""

    def __init__(self, gate: Handler, *, after: int, closed_for: int) -> None:
        self._gate = gate
        self._closed = range(after, after + closed_for)
        self.asked = 0

    def before(self, handler: Handler) -> Handler:
        async def answer(exchange: Exchange) -> None:
            self.asked += 1
            await (self._gate if self.asked - 1 in self._closed else handler)(exchange)

        return answer


def guarded_site(web: LoopbackWeb, host: str, guard: Filter) -> str:
    for path in ["/", *PATHS]:
        web.page(host, path, links=PATHS, title=f"{host}{path}")
        web.answer(host, path, guard.before(web.handler(host, path)))
    return web.url(host)


@pytest.mark.slow
@pytest.mark.parametrize("name", GATES)
async def test_no_gate_is_stored_its_host_rests_and_all_is_fetched_once_it_has_opened_again(
    name: str, tmp_path: Path
) -> None:
    guard = Filter(GATES[name], after=5, closed_for=8)
    async with LoopbackWeb() as web:
        seeds = [guarded_site(web, "a.test", guard), web.page("b.test", "/", links=PATHS)]
        for path in PATHS:
            web.page("b.test", path)
        patient = {"give_up_after_failures": 100}
        crawled = await crawl(
            web.addresses, seeds, tmp_path / "store.db", in_processes=name == IN_PROCESSES, politeness=patient
        )
    assert crawled.reason.label == "exhausted"
    assert len(fetched(crawled.store)) == 32
    assert set(states(crawled.store).values()) == {"fetched"}
    assert {title for (title,) in rows(crawled.store, "SELECT title FROM pages WHERE host LIKE '%a.test%'")} == {
        f"a.test{path}" for path in ["/", *PATHS]
    }
    *others, most = sorted(web.fetches()["a.test", path] for path in ["/", *PATHS])
    assert max(others) <= 2 < most, "the host was asked for one page that it had answered, again and again"


@pytest.mark.slow
@pytest.mark.parametrize("name", GATES)
async def test_a_host_that_stays_closed_is_given_up_with_its_pages_waiting_and_others_go_on(
    name: str, tmp_path: Path
) -> None:
    closed = Filter(GATES[name], after=5, closed_for=10**9)
    async with LoopbackWeb() as web:
        seeds = [guarded_site(web, "a.test", closed), web.page("b.test", "/", links=PATHS)]
        for path in PATHS:
            web.page("b.test", path)
        crawled = await crawl(
            web.addresses,
            seeds,
            tmp_path / "store.db",
            in_processes=name == IN_PROCESSES,
            politeness={"give_up_after_failures": 6},
        )
        assert crawled.reason.label == "hosts-given-up"
        there = [url for url in fetched(crawled.store) if "a.test" in url]
        assert len(there) == 5
        assert len(fetched(crawled.store)) == 5 + 16, "the other host has lost nothing"
        assert closed.asked == 5 + 6, "it was asked no more often than it may fail"
        waiting = [url for url, state in states(crawled.store).items() if state == "waiting"]
        assert len(waiting) == 11
        errors = rows(crawled.store, "SELECT outcome, detail FROM errors")
        assert {outcome for outcome, _ in errors} == {"challenged"}
        assert all(" (status " in detail for _, detail in errors)
        [(error,)] = rows(crawled.store, "SELECT last_error FROM host WHERE is_given_up")
        assert error.startswith("challenged: ")

        guarded_site(web, "a.test", Filter(GATES[name], after=10**9, closed_for=0))
        again = await crawl(web.addresses, [], tmp_path / "store.db")
        assert again.reason.label == "exhausted"
        assert len(fetched(again.store)) == 32


async def test_one_page_behind_a_gate_is_given_up_and_its_host_is_not(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/search", *PATHS])
        search = web.answer("a.test", "/search", ANUBIS)
        for path in PATHS:
            web.page("a.test", path)
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert crawled.reason.label == "exhausted"
    assert crawled.outcome(search) == "challenged"
    assert crawled.state(search) == "failed"
    assert crawled.statistics.outcomes == {"fetched": 16, "challenged": 1}
    assert web.fetches()["a.test", "/search"] == 3
    assert rows(crawled.store, "SELECT * FROM content JOIN page ON page.id = page WHERE url = ?", search) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", GATES)
async def test_a_challenge_in_the_place_of_robots_txt_allows_nothing(name: str, tmp_path: Path) -> None:
    rules = Answer(b"User-agent: *\nDisallow: /secret\n", content_type="text/plain")
    async with LoopbackWeb() as web:
        web.answer("a.test", "/robots.txt", first_times(3, GATES[name], rules))
        page, secret = web.page("a.test", "/page"), web.page("a.test", "/secret")
        patient = {"give_up_unheard_after_failures": 8}
        crawled = await crawl(web.addresses, [page, secret], tmp_path / "store.db", politeness=patient)
    assert [request.path for request in web.log] == [*["/robots.txt"] * 4, "/page"]
    assert (crawled.outcome(page), crawled.outcome(secret)) == ("fetched", "robots")
    assert crawled.statistics.host_failures == {"challenged": 3}


async def test_a_challenge_in_the_place_of_a_sitemap_names_no_page(tmp_path: Path) -> None:
    named = replace(ANUBIS, body=ANUBIS.body.replace(b"<p>Loading", b'<a href="/never">never</a><p>Loading'))
    async with LoopbackWeb() as web:
        web.robots("a.test", f"Sitemap: {web.url('a.test', '/map.xml')}\n")
        web.answer("a.test", "/map.xml", named)
        seed = web.page("a.test", "/")
        crawled = await crawl(
            web.addresses,
            [seed],
            tmp_path / "store.db",
            sitemaps={"use": "always"},
            politeness={"give_up_after_failures": 99},
        )
    assert web.fetches()["a.test", "/map.xml"] >= 1
    assert fetched(crawled.store) == {seed}
    assert web.requests("a.test", "/never") == []


class Guarded(Documents):
    """Documents of which some are behind a gate."""

    closed: frozenset[str] = frozenset()

    async def __call__(self, exchange: Exchange) -> None:
        if exchange.request.path.strip("/") in self.closed:
            await ANUBIS(exchange)
        else:
            await super().__call__(exchange)


async def test_a_look_at_a_stored_page_that_meets_a_gate_leaves_what_is_stored(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = Guarded(web, home=home("a", "b"), **{name: TEXT.format(name, "") for name in "ab"})
        await first_crawled(web, store)
        before = rows(store, "SELECT url, title, body_hash FROM pages")
        pages.closed = frozenset({"a"})
        at_once = {"gone_after_looks": 1, "gone_after_days": 0.0}
        assert looks(await recrawled(web, store, revisits=at_once)) == {"same": 2, "missed": 1}
        assert rows(store, "SELECT url, title, body_hash FROM pages") == before
        pages.closed = frozenset()
        assert looks(await recrawled(web, store)) == {"same": 3}


async def test_while_a_host_is_behind_its_gate_the_store_says_so(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/next"])
        web.answer("a.test", "/next", DATADOME)

        async def stop_when_met(crawl: Crawl) -> None:
            await wait_until(lambda: web.requests("a.test", "/next"))
            await wait_until(lambda: crawl.statistics().retries)
            crawl.stop()

        slow = {"backoff_seconds": 60.0, "max_backoff_seconds": 60.0}
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db", watch=stop_when_met, politeness=slow)
    [(state, outcome, detail, rest)] = rows(
        crawled.store,
        "SELECT state, outcome, detail, rest_seconds FROM page JOIN fetch ON page = page.id JOIN host ON host.id ="
        " page.host WHERE page.url = ?",
        web.url("a.test", "/next"),
    )
    assert (state, outcome) == ("waiting", "challenged")
    assert detail == "a challenge page of DataDome (status 403, by its markup)"
    assert rest >= 60.0
