"""Notices by which a site tells of its changes: believed if the site has the key, and lost by no end of a crawl."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.loop.clock import SteadyClock
from hinterland.crawler.loop.crawl import Crawl
from hinterland.storage.indexnow_inbox import IndexNowInbox
from hinterland.storage.values.indexnow import KeyState, NoticeOutcome, WaitingNotice
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import crawl, fetched, rows, wait_until
from tests.support.leaping_clock import LeapingClock
from tests.support.web import Answer, Exchange, LoopbackWeb

KEY = "0123-abcd"
DAY = 86_400.0
BEGINS = 20_000 * DAY
QUIET = [f"q{number}" for number in range(12)]


def site(web: LoopbackWeb, *, key: str | None = KEY) -> Documents:
    """Pages that are linked, one that is not, and the file of the key."""
    pages = Documents(web, home=home(*QUIET), hidden=TEXT.format("hidden", ""))
    for name in QUIET:
        pages[name] = TEXT.format(name, "")
    pages[f"{KEY}.txt"] = None if key is None else Answer(key.encode(), 200, "text/plain")
    return pages


def notify(web: LoopbackWeb, store: Path, paths: Sequence[str], now: float) -> IndexNowInbox:
    file = IndexNowInbox.of(store)
    urls = [web.url("a.test", path) for path in paths]
    file.take(web.url("a.test", ""), web.url("a.test", f"/{KEY}.txt"), KEY, urls, now)
    return file


def ends(file: IndexNowInbox) -> dict[str, NoticeOutcome | None]:
    return {notice.url.rpartition("/")[2]: notice.end for notice in file.latest(100)[0]}


@pytest.mark.slow
async def test_a_page_with_a_notice_is_visited_before_others_and_the_outcome_is_learnt(
    tmp_path: Path,
) -> None:
    store, clock = tmp_path / "s.db", SteadyClock(DAY / 2)
    async with LoopbackWeb() as web:
        pages = site(web)
        await crawl(web.addresses, [web.url("a.test", "/home")], store, clock=clock)
        web.log.clear()
        pages["q7"] = TEXT.format("another", "")
        file = notify(web, store, ["/q7", "/hidden"], clock())
        await crawl(web.addresses, [], store, revisiting=Revisiting(2 / DAY, 2 * DAY), clock=clock)
        assert web.overlaps() == []
        asked = [request.path for request in web.requests() if request.path[1:] in (*QUIET, "home")]
        assert "/q7" in asked
        assert len(asked) < len(QUIET) / 2
        assert len(web.requests("a.test", f"/{KEY}.txt")) == 1
    assert web.url("a.test", "/hidden") in fetched(store), "nobody links to it"
    assert ends(file) == {"q7": NoticeOutcome.VISITED, "hidden": NoticeOutcome.VISITED}
    [(kind, visits)] = rows(store, "SELECT kind, looks FROM signal")
    assert (kind, visits) == ("push", 1)


@pytest.mark.slow
async def test_a_notice_that_comes_during_a_recrawl_is_taken_up_and_one_that_comes_too_late_by_the_next(
    tmp_path: Path,
) -> None:
    store, clock = tmp_path / "s.db", LeapingClock(BEGINS)
    async with LoopbackWeb() as web:
        site(web)
        await crawl(web.addresses, [web.url("a.test", "/home")], store, watch=clock.watch, clock=clock)

        async def late(running: Crawl) -> None:
            watching = asyncio.create_task(clock.watch(running))
            try:
                await wait_until(lambda: web.requests("a.test", "/q3"))
                notify(web, store, ["/hidden"], clock())
                await watching
            finally:
                watching.cancel()

        revisiting = Revisiting(24 / DAY, DAY)
        await crawl(web.addresses, [], store, revisiting=revisiting, watch=late, clock=clock)
        assert web.url("a.test", "/hidden") in fetched(store)
        file = notify(web, store, ["/q5"], clock())
        assert ends(file)["q5"] is None
        await crawl(web.addresses, [], store, revisiting=revisiting, watch=clock.watch, clock=clock)
    assert ends(file) == {"hidden": NoticeOutcome.VISITED, "q5": NoticeOutcome.VISITED}


@pytest.mark.slow
async def test_notices_whose_key_is_found_while_later_ones_are_taken_up_are_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, clock, may_answer = tmp_path / "s.db", SteadyClock(DAY / 4), asyncio.Event()
    loop, waiting = asyncio.get_running_loop(), IndexNowInbox.waiting

    def waiting_for_the_other_key(self: IndexNowInbox, after: int) -> list[WaitingNotice]:
        """A reader that asks for notices when the first ones are there gets them when the other key is found, too."""
        if (found := waiting(self, after)) and not may_answer.is_set():
            loop.call_soon_threadsafe(may_answer.set)
            for _ in range(500):
                if all(notice.key_state is KeyState.GOOD for notice in self.latest(2)[0]):
                    break
                time.sleep(0.01)
            time.sleep(0.05)  # until that is known to the crawl
        return found

    async def late(exchange: Exchange) -> None:
        await may_answer.wait()
        await Answer(b"other", 200, "text/plain")(exchange)

    async with LoopbackWeb() as web:
        site(web)
        other = web.page("b.test", "/")
        web.page("b.test", "/hidden")
        web.answer("b.test", "/other.txt", late)
        await crawl(web.addresses, [web.url("a.test", "/home"), other], store, clock=clock)
        IndexNowInbox.of(store).take(other[:-1], f"{other}other.txt", "other", [f"{other}hidden"], clock())
        file = notify(web, store, ["/hidden"], clock())
        monkeypatch.setattr(IndexNowInbox, "waiting", waiting_for_the_other_key)
        await crawl(web.addresses, [], store, revisiting=Revisiting(24 / DAY, DAY), clock=clock)
        assert may_answer.is_set()
        assert {f"{other}hidden", web.url("a.test", "/hidden")} <= fetched(store)
    assert file.latest(2)[1] == 0, "none waits"


@pytest.mark.slow
@pytest.mark.parametrize("why", ["another key", "no file", "forbidden", "outside"])
async def test_what_somebody_says_of_a_host_without_its_key_counts_for_nothing(tmp_path: Path, why: str) -> None:
    store, clock, revisiting = tmp_path / "s.db", LeapingClock(BEGINS), Revisiting(48 / DAY, DAY / 2)
    async with LoopbackWeb() as web:
        site(web, key={"another key": "4567-cdef", "no file": None}.get(why, KEY))
        if why == "forbidden":
            web.robots("a.test", f"User-agent: *\nDisallow: /{KEY}.txt")
        scope = {"exclude": ["/hidden"] if why == "outside" else []}
        seed = web.url("a.test", "/home")
        await crawl(web.addresses, [seed], store, watch=clock.watch, clock=clock, scope=scope)
        file = notify(web, store, ["/hidden"], 0.0)
        await crawl(web.addresses, [], store, revisiting=revisiting, watch=clock.watch, clock=clock, scope=scope)
        assert web.requests("a.test", "/hidden") == []
        assert len(web.requests("a.test", f"/{KEY}.txt")) == (why != "forbidden")
    [notice] = file.latest(1)[0]
    if why == "outside":
        assert (notice.end, notice.key_state) == (NoticeOutcome.OUTSIDE, KeyState.GOOD)
    else:
        assert (notice.end, notice.key_state) == (NoticeOutcome.REFUSED, KeyState.BAD)
        assert notice.detail


async def test_a_file_of_notices_that_is_damaged_holds_up_no_crawl(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        site(web)
        await crawl(web.addresses, [web.url("a.test", "/home")], store)
        (tmp_path / "s.notices").write_bytes(b"not a database, but long enough to be read as one" * 100)
        await crawl(web.addresses, [], store, revisiting=Revisiting())
    assert len(fetched(store)) == len(QUIET) + 1
