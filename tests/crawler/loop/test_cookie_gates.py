"""Pages behind redirects that only set a cookie: a crawl reads them, and no loop is endless."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from hinterland.crawler.features.cookie_gates.cookie_gates import CookieGates
from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.fetching.answers import Answer as Answered
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import TO_ITSELF, Verdict
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.decisions.endings import EndReason
from tests.support.crawling import Crawled, crawl, fetched, links, rows, states, wait_until
from tests.support.web import Answer, Exchange, Handler, LoopbackWeb

CONTENT = Answer(b"<title>It is read</title><a href='/behind'>behind</a>")


def moved(to: str, cookie: str = "", status: int = 302) -> Answer:
    return Answer(b"", status, headers={"Location": to, "Set-Cookie": cookie})


def needs(cookie: str, gate: Handler, behind: Handler = CONTENT) -> Handler:
    """The page, for those that bring the cookie; for all others the gate."""

    async def page(exchange: Exchange) -> None:
        has_it = cookie in exchange.request.headers.get("cookie", "")
        await (behind if has_it else gate)(exchange)

    return page


GATES: dict[str, Mapping[str, Handler]] = {
    "to-itself": {"/": needs("ok=1", moved("/", "ok=1"))},
    "to-itself-by-301": {"/": needs("ok=1", moved("/", "ok=1; Path=/", 301))},
    "to-itself-by-307-and-fragment": {"/": needs("ok=1", moved("/#again", "ok=1", 307))},
    "to-itself-twice": {"/": needs("b=2", needs("a=1", moved("/", "a=1"), moved("/", "b=2")))},
    "by-a-parameter": {"/": needs("ok=1", moved("/?x=1")), "/?x=1": moved("/", "ok=1")},
    "by-a-parameter-from-the-start": {"/": needs("ok=1", moved("/?x=1", "ok=1")), "/?x=1": moved("/")},
    "by-another-page": {"/": needs("ok=1", moved("/check", status=303)), "/check": moved("/", "ok=1")},
    "by-two-others": {"/": needs("ok=1", moved("/one")), "/one": moved("/two"), "/two": moved("/", "ok=1")},
    "both": {"/": needs("b=2", moved("/two", "a=1")), "/two": needs("a=1", moved("/"), moved("/", "b=2"))},
    "by-a-dropped-parameter": {"/": needs("ok=1", moved("/?PHPSESSID=1", "ok=1"))},
    "by-a-refresh": {
        "/": needs("ok=1", Answer(b"wait", headers={"Refresh": "0; url=/", "Set-Cookie": "ok=1"})),
    },
    "by-a-meta-refresh": {
        "/": needs("ok=1", Answer(b"<meta http-equiv=refresh content=1>", headers={"Set-Cookie": "ok=1"})),
    },
}


def opened(web: LoopbackWeb, name: str) -> str:
    for path, handler in GATES[name].items():
        web.answer("a.test", path, handler)
    web.page("a.test", "/behind")
    return web.url("a.test", "/")


async def crawled(web: LoopbackWeb, store: Path, *, cookies: bool = True, loops: bool = True) -> Crawled:
    seed = web.url("a.test", "/")
    return await crawl(web.addresses, [seed], store, fetching={"cookies": cookies}, sessions={"cookie_loops": loops})


@pytest.mark.slow
@pytest.mark.parametrize("keeps_all", [False, True])
@pytest.mark.parametrize("name", GATES)
async def test_a_page_behind_a_cookie_gate_is_read(name: str, keeps_all: bool, tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = opened(web, name)
        done = await crawled(web, tmp_path / "s.db", cookies=keeps_all)
        behind = web.url("a.test", "/behind")
        assert web.overlaps() == []
    assert fetched(tmp_path / "s.db") == {seed, behind}
    assert done.statistics.links == len(links(tmp_path / "s.db"))
    assert (seed, behind, "a") in links(tmp_path / "s.db")
    assert rows(tmp_path / "s.db", "SELECT title FROM pages WHERE url = ?", seed) == [("It is read",)]
    assert [link for link in links(tmp_path / "s.db") if link[0] == seed] == [(seed, behind, "a")]
    assert done.reason is EndReason.EXHAUSTED
    assert done.statistics.pages_fetched == 2
    assert sum(done.statistics.outcomes.values()) == len(states(tmp_path / "s.db"))


@pytest.mark.slow
@pytest.mark.parametrize("name", GATES)
async def test_without_cookies_a_gate_is_met_once(name: str, tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        opened(web, name)
        done = await crawled(web, tmp_path / "s.db", cookies=False, loops=False)
        assert max(web.fetches().values()) == 1
    assert done.statistics.retries == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "handlers",
    [
        {"/": moved("/", "always=new")},
        {"/": moved("/?x=1", "always=new"), "/?x=1": moved("/", "always=new")},
        {"/": moved("/one", "a=1"), "/one": moved("/two", "b=2"), "/two": moved("/one", "c=3")},
        {"/": Answer(b"wait", headers={"Refresh": "0", "Set-Cookie": "always=new"})},
    ],
)
async def test_a_gate_that_never_opens_is_left_after_a_few_tries(
    handlers: Mapping[str, Handler], tmp_path: Path
) -> None:
    async with LoopbackWeb() as web:
        for path, handler in handlers.items():
            web.answer("a.test", path, handler)
        done = await crawled(web, tmp_path / "s.db")
        assert max(web.fetches().values()) <= 5
    assert "waiting" not in states(tmp_path / "s.db").values()
    assert done.reason in (EndReason.EXHAUSTED, EndReason.NOTHING_FETCHED)


async def test_only_a_host_that_insists_on_its_cookie_gets_it_back(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.answer(
            "a.test", "/", needs("ok=1", moved("/", "ok=1"), Answer(b"<a href='/a'>", headers={"Set-Cookie": "x=2"}))
        )
        web.page("a.test", "/a", links=[("b.test", "/")])
        web.answer("b.test", "/", Answer(b"<a href='/b'>", headers={"Set-Cookie": "id=3"}))
        web.page("b.test", "/b")
        seeds = [web.url("a.test", "/"), web.url("b.test", "/")]
        await crawl(web.addresses, seeds, tmp_path / "s.db")
        sent = {(each.host, each.path): each.headers.get("cookie") for each in web.log if each.path != "/robots.txt"}
    assert sent == {
        ("a.test", "/"): "ok=1",
        ("a.test", "/a"): "ok=1; x=2",
        ("b.test", "/"): None,
        ("b.test", "/b"): None,
    }


async def test_redirects_in_a_circle_that_set_no_cookie_are_followed_once(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/", moved("/one"))
        web.answer("a.test", "/one", moved("/"))
        await crawled(web, tmp_path / "s.db")
        assert set(web.fetches().values()) == {1}


async def test_a_crawl_that_is_stopped_at_the_gate_passes_it_when_it_goes_on(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = opened(web, "by-two-others")

        async def stop(running: Crawl) -> None:
            await wait_until(lambda: ("a.test", "/one") in web.fetches())
            running.stop()

        await crawl(web.addresses, [seed], tmp_path / "s.db", watch=stop, fetching={"cookies": True})
        await crawl(web.addresses, [], tmp_path / "s.db", fetching={"cookies": True})
    assert rows(tmp_path / "s.db", "SELECT title FROM pages WHERE url = ?", seed) == [("It is read",)]


@pytest.mark.parametrize("keeps_all", [False, True])
async def test_a_crawl_that_is_stopped_in_front_of_the_opened_gate_goes_through_it_again(
    keeps_all: bool, tmp_path: Path
) -> None:
    async with LoopbackWeb() as web:
        seed = opened(web, "by-two-others")

        async def stop(running: Crawl) -> None:
            await wait_until(lambda: ("a.test", "/two") in web.fetches())
            running.stop()

        await crawl(web.addresses, [seed], tmp_path / "s.db", watch=stop, fetching={"cookies": keeps_all})
        await crawl(web.addresses, [], tmp_path / "s.db", fetching={"cookies": keeps_all})
    assert rows(tmp_path / "s.db", "SELECT title FROM pages WHERE url = ?", seed) == [("It is read",)]


async def test_a_page_behind_a_gate_is_fetched_by_a_later_revisit(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = opened(web, "to-itself")
        await crawled(web, tmp_path / "s.db")
        done = await crawl(web.addresses, [], tmp_path / "s.db", revisiting=Revisiting(), fetching={"cookies": True})
    assert seed in fetched(tmp_path / "s.db")
    revisits = done.statistics.of(RevisitStatistics)
    assert revisits is not None
    assert dict(revisits.looks) == {"same": 2}


def test_a_page_is_opened_only_if_its_host_has_set_a_cookie_since_it_was_asked() -> None:
    gates = CookieGates(led_on=[7])
    plain, setting = Answered(302, b"", 0.1), Answered(302, b"", 0.1, sets_cookies=True)
    assert not gates.opens(7, host=0)
    gates.visited(1, 0, OutcomeKind.REDIRECTED, plain)
    gates.visited(2, 1, OutcomeKind.REDIRECTED, setting)
    assert not gates.opens(1, host=0)
    gates.visited(3, 0, OutcomeKind.REDIRECTED, setting)
    assert gates.opens(1, host=0)
    assert gates.opens(7, host=0)
    assert not gates.opens(1, host=0)  # it waits
    assert not gates.opens(99, host=0)


def test_a_host_whose_gate_never_opens_is_asked_again_for_three_pages_only() -> None:
    gates = CookieGates()
    itself = Verdict(OutcomeKind.BAD_REDIRECT, f"{TO_ITSELF}, by '/'", 302)
    sets = Answered(302, b"", 0.1, sets_cookies=True)

    def requests(page: int) -> int:
        count = 1
        while gates.is_shut(page, 0, itself, sets):
            count += 1
        gates.visited(page, 0, OutcomeKind.BAD_REDIRECT, sets)
        return count

    assert [requests(page) for page in range(5)] == [4, 4, 4, 1, 1]
    gates.visited(9, 0, OutcomeKind.FETCHED, sets)
    assert requests(10) == 4


def test_what_is_remembered_of_redirects_is_bounded() -> None:
    gates = CookieGates()
    plain, sets = Answered(302, b"", 0.1), Answered(302, b"", 0.1, sets_cookies=True)
    for page in range(100_050):
        gates.visited(page, 0, OutcomeKind.REDIRECTED, plain)
    gates.visited(1_000_000, 0, OutcomeKind.REDIRECTED, sets)
    assert not gates.opens(10, host=0)
    assert gates.opens(100_040, host=0)
