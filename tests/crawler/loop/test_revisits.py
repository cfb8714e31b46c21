"""A crawl that revisits what it has stored, while the web changes under it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.loop.clock import SteadyClock
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.compression import unpacked_bytes
from hinterland.storage.values.versions import text_before
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import Crawled, crawl, fetched, links, outcomes, rows, states, wait_until
from tests.support.web import Answer, Exchange, Handler, LoopbackWeb
from tests.support.web_behaviours import drop, first_times, raw, truncated

pytestmark = pytest.mark.slow


async def crawled(web: LoopbackWeb, store: Path, **changes: Any) -> Crawled:
    return await crawl(web.addresses, [web.url("a.test", "/home")], store, **changes)


async def recrawled(web: LoopbackWeb, store: Path, **changes: Any) -> Crawled:
    web.log.clear()
    return await crawl(web.addresses, [], store, revisiting=Revisiting(), **changes)


def looks(done: Crawled) -> dict[str, int]:
    revisits = done.statistics.of(RevisitStatistics)
    assert revisits is not None
    assert revisits.left == 0
    return dict(revisits.looks)


def contents(store: Path) -> list[tuple[Any, ...]]:
    """All that was read of the pages, in the order of their numbers."""
    fetch = "page, visit, outcome, attempt, started_at, body_hash, title, etag"
    return [
        *rows(store, f"SELECT {fetch} FROM fetch ORDER BY page"),
        *rows(store, "SELECT * FROM link"),
        *rows(store, "SELECT * FROM content"),
    ]


def changes(store: Path) -> list[str]:
    """Their kinds, the last first."""
    with reading(store) as stored:
        return [change.kind for change in stored.history.changes(0)]


async def test_what_has_not_changed_is_not_sent_again_and_stays_as_it_was(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        Documents(web, home=home("a", "b"), a=TEXT.format("old", ""), b=TEXT.format("new", ""))
        await crawled(web, tmp_path / "s.db")
        before = contents(tmp_path / "s.db")
        done = await recrawled(web, tmp_path / "s.db")
    assert looks(done) == {"same": 3}
    assert [request.status for request in web.requests() if request.path != "/sitemap.xml"] == [304, 304, 304]
    assert contents(tmp_path / "s.db") == before
    assert rows(tmp_path / "s.db", "SELECT looks, changes, missed FROM look") == [(1, 0, 0)] * 3
    assert (done.reason, done.statistics.pages_fetched) == (EndReason.EXHAUSTED, 0)


async def test_without_validators_the_body_says_that_nothing_has_changed(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        Documents(web, home=home("a"), a=TEXT.format("old", "")).etags = False
        await crawled(web, tmp_path / "s.db")
        before = contents(tmp_path / "s.db")
        done = await recrawled(web, tmp_path / "s.db")
    assert looks(done) == {"same": 2}
    assert [request.status for request in web.requests() if request.path != "/sitemap.xml"] == [200, 200]
    assert contents(tmp_path / "s.db") == before


@pytest.mark.parametrize("tag", ["*", '"*"', "W/*", '""', "null"])
async def test_a_page_under_a_tag_of_any_version_is_seen_to_change(tag: str, tmp_path: Path) -> None:
    said = "before"

    async def page(exchange: Exchange) -> None:
        if exchange.request.headers.get("if-none-match") == tag:
            await Answer(b"", 304)(exchange)
        else:
            await Answer(TEXT.format(said, "").encode(), headers={"ETag": tag})(exchange)

    async with LoopbackWeb() as web:
        web.answer("a.test", "/home", page)
        await crawled(web, tmp_path / "s.db")
        said = "something quite different from what it was"
        done = await recrawled(web, tmp_path / "s.db")
    assert looks(done) == {"changed": 1}


async def test_a_page_that_says_something_else_is_read_and_its_earlier_text_is_kept(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=TEXT.format("old", "<a href=/b>b</a>"), b="<title>b</title>")
        await crawled(web, tmp_path / "s.db")
        pages["a"] = TEXT.format("new", "<a href=/c>c</a>")
        pages["c"] = "<title>c</title>"
        done = await recrawled(web, tmp_path / "s.db")
        url = web.url("a.test")
    assert looks(done) == {"same": 2, "changed": 1, "new": 1}
    assert {target for source, target, _ in links(tmp_path / "s.db") if source == f"{url}a"} == {f"{url}c"}
    assert fetched(tmp_path / "s.db") == {f"{url}{name}" for name in ("home", "a", "b", "c")}
    with reading(tmp_path / "s.db") as stored:
        new, changed = stored.history.changes(0)
        assert (changed.url, changed.kind, new.url, new.kind) == (f"{url}a", "changed", f"{url}c", "new")
        assert changed.share is not None
        assert 0 < changed.share < 0.5
        [(_, _, before)] = stored.history.before(changed.page)
        after = unpacked_bytes(stored.history.packed_text(changed.page))
    assert before is not None
    assert b"old mill" in text_before(before, after)
    assert b"new mill" in after


async def test_clocks_and_menus_are_no_change_but_new_links_in_them_are_followed(tmp_path: Path) -> None:
    frame = "<title>Walks</title><nav><a href=/home>Home</a>{}</nav><main>The same text.</main><p>It is {} now.</p>"
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=frame.format("", "10:42"))
        await crawled(web, tmp_path / "s.db")
        before = rows(tmp_path / "s.db", "SELECT page, text FROM content ORDER BY page")
        pages["a"] = frame.format("<a href=/b>Latest news</a>", "11:03")
        pages["b"] = "<title>b</title>"
        done = await recrawled(web, tmp_path / "s.db")
        url = web.url("a.test")
    assert looks(done) == {"same": 2, "new": 1}
    assert rows(tmp_path / "s.db", "SELECT page, text FROM content ORDER BY page")[: len(before)] == before
    assert (f"{url}a", f"{url}b", "a") in links(tmp_path / "s.db")


async def test_a_link_in_the_content_that_leads_elsewhere_is_a_change(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=TEXT.format("old", "<a href=/b>more</a>"), b="<title>b</title>")
        await crawled(web, tmp_path / "s.db")
        pages["a"] = TEXT.format("old", "<a href=/c>more</a>")
        done = await recrawled(web, tmp_path / "s.db")
    assert looks(done)["changed"] == 1


async def test_a_link_that_leads_to_the_same_place_by_https_is_no_change_but_is_kept(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=TEXT.format("old", "<a href=http://elsewhere.test/x>more</a>"))
        await crawled(web, tmp_path / "s.db")
        pages["a"] = TEXT.format("old", "<a href=https://elsewhere.test/x>more</a>")
        done = await recrawled(web, tmp_path / "s.db")
        url = web.url("a.test")
    assert looks(done) == {"same": 2}
    assert (f"{url}a", "https://elsewhere.test/x", "a") in links(tmp_path / "s.db")


async def test_a_page_that_is_gone_leaves_at_once_if_it_says_so_and_else_after_some_revisits(tmp_path: Path) -> None:
    soon = {"revisits": {"gone_after_looks": 2, "gone_after_days": 0.0}}
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a", "b"), a=TEXT.format("old", ""), b=TEXT.format("old", ""))
        await crawled(web, tmp_path / "s.db")
        url = web.url("a.test")
        pages["a"], pages["b"] = Answer(b"", 410), None
        assert looks(await recrawled(web, tmp_path / "s.db", **soon)) == {"same": 1, "gone": 1, "missed": 1}
        assert states(tmp_path / "s.db")[f"{url}b"] == "fetched"
        assert looks(await recrawled(web, tmp_path / "s.db", **soon)) == {"same": 2, "gone": 1}
    assert outcomes(tmp_path / "s.db") == {
        f"{url}home": "fetched",
        f"{url}a": "client_error",
        f"{url}b": "client_error",
    }
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM content") == [(1,)]
    with reading(tmp_path / "s.db") as stored:
        page = stored.pages.number_of(f"{url}b")
        assert page is not None
        [(_, kind, before)] = stored.history.before(page)
    assert kind == "gone"
    assert before is not None
    assert b"old mill" in text_before(before, b"")


async def test_a_page_that_is_missed_for_less_time_than_asked_for_stays(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=TEXT.format("old", ""))
        await crawled(web, tmp_path / "s.db")
        pages["a"] = None
        for _ in range(4):
            assert looks(await recrawled(web, tmp_path / "s.db")) == {"same": 1, "missed": 1}
        assert rows(tmp_path / "s.db", "SELECT max(missed) FROM look") == [(4,)]
        pages["a"] = TEXT.format("old", "")
        assert looks(await recrawled(web, tmp_path / "s.db")) == {"same": 2}
        assert rows(tmp_path / "s.db", "SELECT max(missed), max(missing_since) FROM look") == [(0, None)]


async def test_a_page_that_moved_is_followed_and_one_that_comes_back_is_read(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=TEXT.format("old", ""))
        await crawled(web, tmp_path / "s.db")
        url = web.url("a.test")
        pages["a"], pages["c"] = Answer(b"", 301, headers={"Location": "/c"}), TEXT.format("old", "")
        assert looks(await recrawled(web, tmp_path / "s.db")) == {"same": 1, "moved": 1, "new": 1}
        assert states(tmp_path / "s.db")[f"{url}a"] == "redirected"
        assert (f"{url}a", f"{url}c", "redirect") in links(tmp_path / "s.db")
        assert looks(await recrawled(web, tmp_path / "s.db")) == {"same": 3}
        pages["a"] = TEXT.format("new", "")
        assert looks(await recrawled(web, tmp_path / "s.db")) == {"same": 2, "back": 1}
    assert states(tmp_path / "s.db")[f"{url}a"] == "fetched"
    assert changes(tmp_path / "s.db") == ["back", "new", "moved"]


async def test_a_page_that_moved_takes_its_earlier_texts_along(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=TEXT.format("first", ""))
        await crawled(web, store)
        url = web.url("a.test")
        pages["a"] = TEXT.format("second", "")
        await recrawled(web, store)
        pages["a"], pages["c"] = Answer(b"", 301, headers={"Location": "/c"}), TEXT.format("third", "")
        await recrawled(web, store)
    with reading(store) as stored:
        page = stored.pages.number_of(f"{url}c")
        assert page is not None
        texts = " ".join(stored.history.text_before(page, back) for back in range(3))
        assert stored.history.moved_from(page) == f"{url}a"
    assert [word for word in texts.split() if word in ("first", "second", "third")] == ["third", "second", "first"]


async def test_a_host_that_fails_says_nothing_of_its_pages(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=TEXT.format("old", ""))
        await crawled(web, tmp_path / "s.db")
        before = contents(tmp_path / "s.db")
        web.answer("a.test", "*", drop)
        done = await recrawled(web, tmp_path / "s.db")
        assert done.reason is EndReason.HOSTS_GIVEN_UP
        assert contents(tmp_path / "s.db") == before
        web.answer("a.test", "*", pages)
        assert looks(await recrawled(web, tmp_path / "s.db")) == {"same": 2}


async def test_without_a_network_nothing_is_settled(tmp_path: Path) -> None:
    store, impatient = tmp_path / "s.db", {"network_patience_seconds": 0.1, "backoff_seconds": 0.01}
    async with LoopbackWeb() as web:
        Documents(web, home=home("a", "b"), a=TEXT.format("old", ""), b=TEXT.format("old", ""))
        await crawled(web, store)
        before, addresses = contents(store), web.addresses
    done = await crawl(addresses, [], store, revisiting=Revisiting(), politeness=impatient)
    assert done.reason in (EndReason.NETWORK_DOWN, EndReason.HOSTS_GIVEN_UP)
    assert contents(store) == before
    assert changes(store) == []
    assert rows(store, "SELECT count(*) FROM look WHERE missed > 0") == [(0,)]


@pytest.mark.parametrize("years", [-20, 10])
async def test_a_clock_that_is_wrong_settles_nothing_and_does_no_harm_later(years: int, tmp_path: Path) -> None:
    store, wrong = tmp_path / "s.db", SteadyClock(begins=time.time() + years * 365 * 86_400)
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=TEXT.format("old", ""))
        await crawled(web, store)
        before = contents(store)
        pages["a"] = None
        await recrawled(web, store)
        for _ in range(2):
            await recrawled(web, store, clock=wrong)
        assert contents(store) == before
        assert rows(store, "SELECT max(missed) FROM look") == [(1,)]
        await recrawled(web, store)
        assert rows(store, "SELECT max(missed) FROM look") == [(2,)]
        pages["a"] = Answer(b"", 410)
        assert looks(await recrawled(web, store, clock=wrong))["gone"] == 1


async def test_a_host_with_a_wrong_clock_may_be_overloaded_for_a_moment(tmp_path: Path) -> None:
    store, wrong = tmp_path / "s.db", SteadyClock(begins=time.time() + 365 * 86_400)
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a", "b"), a=TEXT.format("old", ""), b=TEXT.format("old", ""))
        await crawled(web, store)
        web.answer("a.test", "/a", first_times(1, Answer(b"", 503), pages))
        assert looks(await recrawled(web, store, clock=wrong)) == {"same": 3}


@pytest.mark.parametrize("keeps, left", [(False, 1), (True, 2)])
async def test_pages_that_robots_txt_has_come_to_forbid_leave_unless_they_are_to_be_kept(
    keeps: bool, left: int, tmp_path: Path
) -> None:
    now = {"robots": {"max_age_seconds": 0, "retry_seconds": 0.1}, "revisits": {"keep_forbidden": keeps}}
    async with LoopbackWeb() as web:
        Documents(web, home=home("a"), a=TEXT.format("old", ""))
        web.robots("a.test", "")
        await crawled(web, tmp_path / "s.db", **now)
        web.robots("a.test", "User-agent: *\nDisallow: /a")
        await recrawled(web, tmp_path / "s.db", **now)
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM content") == [(left,)]


async def test_a_page_that_failed_at_first_is_read_when_it_is_there(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"))
        await crawled(web, tmp_path / "s.db")
        pages["a"] = TEXT.format("old", "")
        assert looks(await recrawled(web, tmp_path / "s.db")) == {"same": 1, "back": 1}


async def test_a_full_store_takes_no_new_pages_but_revisits_all_it_has(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a", "b"), a=TEXT.format("old", ""), b=TEXT.format("old", ""))
        await crawled(web, tmp_path / "s.db", max_pages=2)
        pages["a"] = TEXT.format("new", "<a href=/c>c</a>")
        done = await recrawled(web, tmp_path / "s.db", max_pages=2)
    assert looks(done) == {"same": 1, "changed": 1}
    assert done.reason is EndReason.MAX_PAGES
    assert len(fetched(tmp_path / "s.db")) == 2


async def test_a_page_that_a_look_finds_has_its_number_in_the_store_though_nothing_is_said_to_have_changed(
    tmp_path: Path,
) -> None:
    """Else all pages that are found later would have other numbers in the next crawl."""
    store, limit = tmp_path / "s.db", {"fetching": {"max_redirects": 0}}
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a", "b"), a=TEXT.format("old", ""), b=TEXT.format("old", ""))
        await crawled(web, store, **limit)
        pages["a"] = Answer(b"", 301, None, {"Location": "/far"})
        assert looks(await recrawled(web, store, **limit)) == {"same": 2, "missed": 1}
        pages["b"], pages["c"] = TEXT.format("new", "<a href=/c>c</a>"), TEXT.format("other", "")
        assert looks(await recrawled(web, store, **limit)) == {"same": 1, "missed": 1, "changed": 1, "new": 1}
        assert looks(await recrawled(web, store, **limit)) == {"same": 3, "missed": 1}
        found = [web.url("a.test", f"/{name}") for name in ("home", "a", "b", "far", "c")]
    assert rows(store, "SELECT id, url FROM page ORDER BY id") == list(enumerate(found))


async def test_a_page_that_may_be_fetched_now_waits_in_the_store_though_what_links_to_it_says_the_same(
    tmp_path: Path,
) -> None:
    frame = "<title>Walks</title><nav><a {} href=/b>b</a></nav><main>The same text.</main><p>It is {} now.</p>"
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a"), a=frame.format("rel=nofollow", "10:42"), b=TEXT.format("old", ""))
        await crawled(web, tmp_path / "s.db", max_pages=2)
        pages["a"] = frame.format("", "11:03")
        done = await recrawled(web, tmp_path / "s.db", max_pages=2)
        assert looks(done) == {"same": 2}
        assert states(tmp_path / "s.db")[web.url("a.test", "/b")] == "waiting"


async def test_a_recrawl_that_is_broken_off_loses_nothing_and_can_begin_again(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(30)]
    async with LoopbackWeb(latency=0.005) as web:
        pages = Documents(web, home=home(*names), **{name: TEXT.format(name, "") for name in names})
        await crawled(web, tmp_path / "s.db")
        for name in names:
            pages[name] = TEXT.format(f"other {name}", "")

        async def stop_soon(made: Crawl) -> None:
            await wait_until(lambda: made.statistics().visits >= 5)
            made.stop()

        done = await crawl(web.addresses, [], tmp_path / "s.db", revisiting=Revisiting(), watch=stop_soon)
        assert done.reason is EndReason.STOPPED
        assert len(fetched(tmp_path / "s.db")) == 31
        found = looks(await recrawled(web, tmp_path / "s.db"))
    assert sum(found.values()) == 31
    assert rows(tmp_path / "s.db", "SELECT count(DISTINCT page), count(*) FROM change") == [(30, 30)]


BROKEN: dict[str, Handler] = {
    "500": Answer(b"broken", 500),
    "502": Answer(b"no gateway", 502),
    "503": Answer(b"", 503, headers={"Retry-After": "0"}),
    "429": Answer(b"", 429),
    "closed": drop,
    "cut short": truncated(Answer(b"cut short")),
    "no HTTP": raw(b"nothing of HTTP\r\n\r\n"),
    "not gzip": Answer(b"plain", headers={"Content-Encoding": "gzip"}),
    "404": Answer(b"", 404),
}


@pytest.mark.parametrize(
    "then, now",
    [*((kind, kind) for kind in BROKEN), ("500", "502"), ("502", "closed"), ("closed", "404"), ("404", "500")],
)
async def test_pages_that_failed_at_the_crawl_and_fail_still_are_looked_at_without_harm(
    then: str, now: str, tmp_path: Path
) -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/home", ["/a", "/b", "/c", "/good"])
        web.page("a.test", "/good")
        for path in ("/a", "/b", "/c"):
            web.answer("a.test", path, BROKEN[then])
        await crawled(web, tmp_path / "s.db")
        for path in ("/a", "/b", "/c"):
            web.answer("a.test", path, BROKEN[now])
        done = await recrawled(web, tmp_path / "s.db")
    assert looks(done) == {"same": 5} if then == now else {"same": 2, "missed": 3}
    assert done.reason is EndReason.EXHAUSTED


@pytest.mark.parametrize("kind", [kind for kind in BROKEN if kind != "404"])
async def test_a_page_that_failed_at_the_crawl_and_fails_once_more_is_asked_again(kind: str, tmp_path: Path) -> None:
    """As one that is stored would be."""
    async with LoopbackWeb() as web:
        web.page("a.test", "/home", ["/a", "/good"])
        web.page("a.test", "/good")
        web.answer("a.test", "/a", BROKEN[kind])
        await crawled(web, tmp_path / "s.db")
        web.answer("a.test", "/a", first_times(1, BROKEN[kind], Answer(b"<title>a</title>back again")))
        done = await recrawled(web, tmp_path / "s.db")
    assert looks(done) == {"same": 2, "back": 1}


async def test_a_page_that_has_lost_all_its_text_has_changed(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/home", ["/a"])
        web.answer("a.test", "/a", Answer(b"<title>a</title><p>words that are gone"))
        await crawled(web, tmp_path / "s.db")
        web.answer("a.test", "/a", Answer(b"<title>a</title><img src=/a.png>"))
        done = await recrawled(web, tmp_path / "s.db")
    assert looks(done) == {"same": 1, "changed": 1}
