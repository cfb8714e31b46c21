"""Errors of the program itself: one that comes up in a visit costs that visit, is reported, and ends no crawl."""

from __future__ import annotations

import dataclasses
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.features.sitemaps import sitemap_visits
from hinterland.crawler.features.traps.deprioritiser import TrapDeprioritiser
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop import host_tasks, page_visits
from hinterland.crawler.loop.decisions import crawl_state, visit_records
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.visit_records import LinkNumbering
from hinterland.crawler.loop.page_visits import PageVisits
from hinterland.library.importing import intake
from hinterland.library.importing.importing import ImportRequest, import_archives
from hinterland.storage.link_store import LinkStore
from hinterland.storage.salvage import LostRecord
from hinterland.storage.values.hosts import HostStateRecord, SlowedShape
from hinterland.storage.values.records import (
    ContentRecord,
    DiscoveriesRecord,
    HostRecord,
    LinkColumns,
    PageRecord,
    SlowedShapes,
    VisitRecord,
)
from hinterland.storage.values.topics import JudgementRecord
from tests.support.crawling import InlineParsers, crawl, fetched, is_sound, outcomes, quick_settings, rows
from tests.support.sitemaps import urlset
from tests.support.web import Answer, LoopbackWeb

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def no_mishap_goes_unnoticed() -> None:
    """Here they are what is looked for."""


PLACES: dict[str, tuple[Any, str]] = {
    "what robots.txt says of it": (RobotsRules, "allows"),
    "its request": (Fetcher, "fetch"),
    "the verdict": (page_visits, "judge"),
    "its parsing": (InlineParsers, "parse"),
    "what the frontier learns": (PageVisits, "_answered"),
    "its host's rest": (Frontier, "finished"),
    "the numbers of its links": (LinkNumbering, "of_visit"),
    "a part of its links": (LinkNumbering, "part_of_page"),
    "its shape": (TrapDeprioritiser, "visited"),
    "its record": (crawl_state, "visit_record"),
    "its host's state": (CrawlState, "host_state"),
}


def fail_on(
    monkeypatch: pytest.MonkeyPatch, place: tuple[Any, str], is_time: Callable[[], bool], times: float = 1
) -> None:
    """Let a function fail when it is time, or it is called for a page named bad, that many times."""
    owner, name = place
    works, left = getattr(owner, name), [times]

    def fails(*arguments: Any, **named: Any) -> Any:
        if left[0] and (is_time() or any(map(_is_bad, [*arguments, *named.values()]))):
            left[0] -= 1
            raise LookupError(f"{name} \ud800 \0 cannot do that")
        return works(*arguments, **named)

    monkeypatch.setattr(owner, name, fails)


def _is_bad(argument: object) -> bool:
    """Whether it is, or has, a URL or a host that is named bad."""
    url = argument if isinstance(argument, str) else getattr(argument, "url", "")
    return url.endswith("/bad") or "/bad.test" in url


@contextmanager
def ends_by(kind: type[Exception]) -> Iterator[None]:
    """Whatever ends a crawl comes as a group."""
    with pytest.raises(ExceptionGroup) as caught:
        yield
    assert caught.value.split(kind)[1] is None


@pytest.mark.parametrize("place", PLACES)
async def test_an_error_in_a_visit_costs_that_page_and_the_crawl_goes_on(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with LoopbackWeb() as web:
        seeds = [web.page("a.test", "/", ["/bad", "/a", "/b"]), web.page("b.test", "/"), web.page("c.test", "/")]
        pages = [*seeds, web.page("a.test", "/bad", ["/c", "/", ("c.test", "/d")]), web.page("c.test", "/d")]
        pages += [web.page("a.test", path, ["/bad", "/a", "/c", ("c.test", "/d")]) for path in ("/a", "/b", "/c")]
        with monkeypatch.context() as patch:
            fail_on(patch, PLACES[place], lambda: bool(web.requests(path="/bad")))
            crawled = await crawl(web.addresses, seeds, tmp_path / "s.db")
        found = outcomes(crawled.store)
        assert crawled.reason is EndReason.EXHAUSTED
        assert set(found) == set(pages)
        assert sorted(found.values()) == ["fetched"] * (len(pages) - 1) + ["internal_error"]
        assert crawled.statistics.outcomes == {"fetched": len(pages) - 1, "internal_error": 1}
        assert is_sound(crawled.store)
        [(detail,)] = rows(crawled.store, "SELECT detail FROM fetch WHERE outcome = 'internal_error'")
        assert detail.startswith("LookupError: ")
        assert "(test_internal_errors.py:" in detail
        [record] = [each for each in caplog.records if each.levelno == logging.ERROR]
        assert "Traceback" in record.getMessage()
        again = await crawl(web.addresses, [], tmp_path / "s.db", revisiting=Revisiting())
    assert again.reason is EndReason.EXHAUSTED
    assert set(outcomes(crawled.store).values()) == {"fetched"}


@pytest.mark.parametrize("place", ["its request", "the verdict", "its parsing", "its record", "its host's state"])
async def test_an_error_in_a_look_costs_that_look_and_what_is_stored_stays(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LoopbackWeb() as web:
        seeds = [web.page("a.test", "/", ["/bad"])]
        web.page("a.test", "/bad", ["/c"])
        web.page("a.test", "/c")
        await crawl(web.addresses, seeds, tmp_path / "s.db")
        web.log.clear()
        web.page("a.test", "/bad", ["/c", "/d"])
        web.page("a.test", "/d")
        fail_on(monkeypatch, PLACES[place], lambda: bool(web.requests(path="/bad")))
        again = await crawl(web.addresses, [], tmp_path / "s.db", revisiting=Revisiting())
    assert again.reason is EndReason.EXHAUSTED
    revisits = again.statistics.of(RevisitStatistics)
    assert revisits is not None
    assert revisits.left == 0
    assert is_sound(again.store)
    assert set(outcomes(again.store).values()) <= {"fetched", "internal_error"}


TASKS: dict[str, tuple[Any, str]] = {
    "the verdict on robots.txt": (host_tasks, "read_robots"),
    "its rules": (RobotsRules, "granted_delay"),
    "its request": (Fetcher, "fetch"),
    "its address": (Fetcher, "resolve"),
    "the verdict on a sitemap": (sitemap_visits, "judge"),
    "the pages of a sitemap": (KnownPages, "add_found"),
    "unpacking": (sitemap_visits, "decode_content"),
}


@pytest.mark.parametrize(
    "place, times",
    [*((place, 1) for place in TASKS), ("its request", inf), ("its address", inf), ("the verdict on a sitemap", inf)],
)
async def test_an_error_in_what_is_asked_of_a_host_costs_no_page_of_another(
    place: str, times: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with LoopbackWeb() as web:
        seeds = [web.page(f"{host}.test", "/", ["/a"]) for host in ("a", "b", "bad")]
        pages = [*seeds, *(web.page(f"{host}.test", "/a") for host in ("a", "b", "bad"))]
        for host in ("a", "b", "bad"):
            web.robots(host + ".test", "User-agent: *\nDisallow: /none\nSitemap: /sitemap.xml")
            web.answer(f"{host}.test", "/sitemap.xml", Answer(urlset(web.url(f"{host}.test", "/a")), 200, "text/xml"))
        is_once = times == 1
        fail_on(monkeypatch, TASKS[place], lambda: is_once and any(each.host == "bad.test" for each in web.log), times)
        crawled = await crawl(web.addresses, seeds, tmp_path / "s.db", sitemaps={"use": "always"})
    assert is_sound(crawled.store)
    assert {url for url in pages if "bad" not in url} <= fetched(crawled.store)
    assert any("internal error, please report it" in each and "Traceback" in each for each in caplog.messages)


@pytest.mark.parametrize("place", ["its request", "the verdict", "its record", "what the frontier learns"])
async def test_an_error_that_all_visits_have_ends_the_crawl(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LoopbackWeb() as web:
        seeds = [web.page(f"h{number}.test", "/", [f"/{each}" for each in range(9)]) for number in range(40)]
        fail_on(monkeypatch, PLACES[place], lambda: True, inf)
        with ends_by(LookupError):
            await crawl(web.addresses, seeds, tmp_path / "s.db")
    assert rows(tmp_path / "s.db", "SELECT reason FROM run") == [("bug",)]
    assert is_sound(tmp_path / "s.db")


HALF: Any = "\ud800"
"""Half a character. Any type, since it also stands where bytes belong."""
UNWRITABLE: dict[str, dict[str, Any]] = {
    "text with half a character": {"title": f"a {HALF}"},
    "a number too large": {"body_bytes": 1 << 63},
    "no number": {"seconds": nan},
    "what is no text": {"content_type": ["text/html"]},
    "bytes that are text": {"body_hash": HALF},
    "an anchor": {"links": LinkColumns([0], b"\0", b"\0", [HALF])},
    "a link to nowhere": {"links": LinkColumns([1 << 63], b"\0", b"\0", [""])},
    "half a word in its detail": {"detail": HALF},
    "its host's state": {"host_state": HostStateRecord(0, HALF, nan, nan, 0, 1, False, HALF)},
    "its text": {"content": ContentRecord(HALF, "[]", None)},
}


@pytest.mark.parametrize("fields", UNWRITABLE.values(), ids=UNWRITABLE)
async def test_what_the_store_cannot_hold_costs_its_page_and_nothing_that_is_written_with_it(
    fields: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", ["/a", "/bad", "/b"])
        web.page("a.test", "/bad", ["/c", ("b.test", "/")])
        for path in ("/a", "/b", "/c"):
            web.page("a.test", path, ["/bad", "/c"])
        works = visit_records.visit_record

        def unwritable(**named: Any) -> VisitRecord:
            record = works(**named)
            return dataclasses.replace(record, **fields) if (record.title or "").endswith("/bad") else record

        monkeypatch.setattr(crawl_state, "visit_record", unwritable)
        crawled = await crawl(web.addresses, [seed], tmp_path / "s.db", storage={"commit_seconds": 0.05})
        found = outcomes(crawled.store)
        assert found.pop(web.url("a.test", "/bad")) == "internal_error"
        assert sorted(found.values()) == ["fetched"] * 4
    assert crawled.reason is EndReason.EXHAUSTED
    assert crawled.statistics.outcomes == {"fetched": 4, "internal_error": 1}
    assert is_sound(crawled.store)
    assert any("Traceback" in each for each in caplog.messages)


async def test_what_the_store_cannot_hold_ends_no_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", ["/a", "/bad", "/b"])
        for path in ("/a", "/bad", "/b"):
            web.page("a.test", path)
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc")
    works = visit_records.visit_record

    def unwritable(**named: Any) -> VisitRecord:
        record = works(**named)
        return dataclasses.replace(record, title=HALF) if (record.title or "").endswith("/bad") else record

    monkeypatch.setattr(intake, "visit_record", unwritable)
    async with LinkStore(tmp_path / "i.db") as store:
        request = ImportRequest([*(tmp_path / "warc").glob("*.gz")], quick_settings({}), [seed], ["import"])
        await import_archives(request, store, lambda: 1e9, lambda _: None)
    assert is_sound(tmp_path / "i.db")
    assert sorted(outcomes(tmp_path / "i.db").values()) == ["fetched"] * 3 + ["internal_error"]
    assert any("Traceback" in each for each in caplog.messages)


async def test_records_that_are_more_than_the_end_of_a_visit_are_written_or_the_crawl_ends(tmp_path: Path) -> None:
    def told(lost: LostRecord, where: str) -> None:
        left_out.append((type(lost.record).__name__, where))

    left_out: list[tuple[str, str]] = []
    shape = SlowedShape(0, "/a", "repeats", 1, 1, 0, 0)
    page = PageRecord(0, "http://a.test/", 0, "waiting", 1, 0, None, 0)
    found = DiscoveriesRecord([HostRecord(0, "http://a.test", "a.test")], [page], [], [], [], [])
    async with LinkStore(tmp_path / "s.db") as store:
        with pytest.raises(sqlite3.IntegrityError):
            await store.write([found, SlowedShapes([shape, shape])])
        store.on_lost_record = told
        await store.write([found, SlowedShapes([shape, shape]), JudgementRecord(0, 0.5)])
        with pytest.raises(sqlite3.IntegrityError):
            await store.write([JudgementRecord(0, 0.7), found])
    assert left_out == [("SlowedShapes", "SlowedShapes")]
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM slowed") == [(0,)]
    assert rows(tmp_path / "s.db", "SELECT page, probability FROM relevance") == [(0, 0.5)]


async def test_an_error_while_the_host_of_a_moved_robots_txt_is_numbered_leaves_a_sound_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/")
        web.redirect("a.test", "/robots.txt", ("b.test", "/robots.txt"))
        web.robots("b.test", "")
        with monkeypatch.context() as patch:
            fail_on(patch, (Frontier, "add_host"), lambda: bool(web.log))
            with ends_by(LookupError):
                await crawl(web.addresses, [seed], tmp_path / "s.db")
        assert is_sound(tmp_path / "s.db")
        assert (await crawl(web.addresses, [seed], tmp_path / "s.db")).outcome(seed) == "fetched"


@pytest.mark.parametrize("name", ["_append", "host_number"])
async def test_an_error_amid_the_numbering_of_pages_ends_the_crawl_and_leaves_a_sound_store(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", ["/bad", "/a"])
        web.page("a.test", "/bad", ["/c", ("b.test", "/"), "/d"])
        for host, path in (("a.test", "/a"), ("a.test", "/c"), ("a.test", "/d"), ("b.test", "/")):
            web.page(host, path)
        with monkeypatch.context() as patch:
            fail_on(patch, (KnownPages, name), lambda: bool(web.requests(path="/bad")))
            with ends_by(LookupError):
                await crawl(web.addresses, [seed], tmp_path / "s.db")
        assert is_sound(tmp_path / "s.db")
        crawled = await crawl(web.addresses, [seed, web.url("b.test", "/")], tmp_path / "s.db")
    assert set(outcomes(crawled.store).values()) == {"fetched"}
    assert len(outcomes(crawled.store)) == 6
