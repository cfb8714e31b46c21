"""The link store: what goes in comes out, batches are whole or absent, and files of other programs are recognised."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreInUse
from hinterland.storage.migrations import migration_names
from hinterland.storage.reading.opening import reading
from hinterland.storage.store_connections import StoreError
from hinterland.storage.values.history import PageEvidence, RevisitRecord, StoredSignals
from hinterland.storage.values.hosts import HostStateRecord, StoredHost
from hinterland.storage.values.records import (
    ContentRecord,
    DiscoveriesRecord,
    HostRecord,
    LinkColumns,
    PageRecord,
    RobotsRecord,
    VisitRecord,
)

pytestmark = pytest.mark.slow

HOSTS = [HostRecord(0, "http://a.test", "a.test"), HostRecord(1, "http://b.test", "b.test")]
REST = HostStateRecord(0, "127.0.0.1", 1000.5, 1.5, 0, 1, False)


def page(number: int, path: str = "", host: int = 0, **changes: Any) -> PageRecord:
    url = f"{HOSTS[host].url}/{path or number}"
    return PageRecord(number, url, host, "waiting", 1, 1, 0 if number else None, 0)._replace(**changes)


PAGES = [page(0), page(1), page(2), page(3, host=1, state="known", is_local=False)]


def visit(number: int = 0, **changes: Any) -> VisitRecord:
    return replace(VisitRecord(1, number, "fetched", "fetched", "", 1, 900.0, 0.25, REST), **changes)


FULL = visit(
    status=200,
    content_type="text/html",
    charset="utf-8",
    wire_bytes=10,
    body_bytes=20,
    body_hash=b"0123456789abcdef",
    etag='"e"',
    last_modified="today",
    canonical=1,
    title="Title",
    description="About",
    language="en",
    is_noindex=True,
    bad_links=3,
    cut={"title": 1, "links": 70},
    rendering="shell",
    links=LinkColumns([1, 2, 1, 3], bytes([0, 0, 4, 0]), bytes([0, 1, 0, 0]), ["one", "two", "", "ü"]),
    content=ContentRecord(b"text", '[[1,"Head"]]', b"body", b"\1\2"),
)


@asynccontextmanager
async def opened(path: Path, *, filled: bool = True) -> AsyncIterator[LinkStore]:
    async with LinkStore(path) as store:
        if filled:
            await store.write([DiscoveriesRecord(HOSTS, PAGES)])
        yield store


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def fetched(path: Path) -> int:
    [(count,)] = rows(path, "SELECT count(*) FROM fetch WHERE outcome = 'fetched'")
    return int(count)


async def outlinks(store: LinkStore) -> list[tuple[int, list[int], list[bool], tuple[bool, bool, bool]]]:
    """(source, targets, nofollow of each, (is_nofollow, is_redirect, is_broken_off)) of every page with known links."""
    found = await store.state.outlinks()
    begins = found.ends - found.counts
    return [
        (int(source), found.targets[begin:end].tolist(), found.nofollow[begin:end].tolist(), tuple(flags))
        for source, begin, end, *flags in zip(
            found.sources.tolist(),
            begins.tolist(),
            found.ends.tolist(),
            found.is_nofollow.tolist(),
            found.is_redirect.tolist(),
            found.is_broken_off.tolist(),
            strict=True,
        )
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


# --- in and out ---------------------------------------------------------------------------------


async def test_pages_and_hosts_come_out_as_they_went_in(path: Path) -> None:
    robots = RobotsRecord(1, 200, 50.0, 90.0, b"User-agent: *", 2.5, ["https://b.test/map"])
    async with opened(path) as store:
        await store.write([FULL, robots, visit(1, visit=2, state="waiting", outcome="server_error", retry_at=77.0)])
        [pages] = [chunk async for chunk in store.state.pages()]
        assert pages.numbers.tolist() == [0, 1, 2, 3]
        assert pages.urls == ("http://a.test/0", "http://a.test/1", "http://a.test/2", "http://b.test/3")
        assert pages.hosts.tolist() == [0, 0, 0, 1]
        assert pages.is_local.tolist() == [True, True, True, False]
        assert pages.is_known.tolist() == [False, False, False, True]
        assert pages.is_waiting.tolist() == [False, True, True, False]
        assert pages.is_fetched.tolist() == [True, False, False, False]
        assert pages.depths.tolist() == [1, 1, 1, 1]
        assert pages.finders.tolist() == [-1, 0, 0, 0]
        assert pages.redirects.tolist() == [0, 0, 0, 0]
        assert pages.visits.tolist() == [1, 2, 0, 0]
        assert pages.attempts.tolist() == [1, 1, 0, 0]
        np.testing.assert_array_equal(pages.retry_at, [np.nan, 77.0, np.nan, np.nan])
        assert await store.ask(lambda stored: stored.hosts.stored()) == [
            StoredHost(0, "http://a.test", "a.test", 1000.5, 1.5, 0, 1, 0, None, None, None, None),
            StoredHost(1, "http://b.test", "b.test", 0.0, 0.0, 0, 0, 0, 200, 90.0, 1, 2.5),
        ]
        assert fetched(path) == 1
        assert await store.ask(lambda stored: stored.pages.last_visit()) == 2
        assert await store.urls_of([2, 0, 99]) == {0: "http://a.test/0", 2: "http://a.test/2"}


async def test_every_column_of_a_visit_is_stored(path: Path) -> None:
    async with opened(path) as store:
        await store.write([FULL])
    assert rows(path, "SELECT * FROM fetch") == [
        (0, 1, "fetched", "", 1, None, 900.0, 0.25, 200, "text/html", "utf-8", 10, 20, b"0123456789abcdef", '"e"',
         "today", None, 1, "Title", "About", "en", 1, 0, 3, '{"title": 1, "links": 70}', "shell"),
    ]  # fmt: skip
    assert rows(path, "SELECT * FROM content") == [(0, b"text", '[[1,"Head"]]', b"body", b"\1\2")]
    assert rows(path, "SELECT * FROM link ORDER BY source, target, kind") == [
        (0, 1, 0, 0, "one"), (0, 1, 4, 0, ""), (0, 2, 0, 1, "two"), (0, 3, 0, 0, "ü"),
    ]  # fmt: skip


async def test_outlinks_come_in_the_order_of_the_visits_each_target_once(path: Path) -> None:
    links = LinkColumns([2, 1, 1], b"\0\0\4", b"\1\1\0", ["", "", ""])
    async with opened(path) as store:
        await store.write([FULL])
        await store.write([visit(0, visit=5, attempt=2, is_nofollow=True, links=links)])
        await store.write([visit(2, visit=2, links=LinkColumns([0], b"\0", b"\0", [""]))])
        await store.write([visit(1, visit=4), visit(3, visit=3, outcome="client_error")])
        assert await outlinks(store) == [
            (2, [0], [False], (False, False, False)),
            (1, [], [], (False, False, False)),
            (0, [1, 2], [False, True], (True, False, False)),
        ]


async def test_outlinks_come_in_the_order_of_the_visits_with_fetched_pages_that_have_none(path: Path) -> None:
    async with opened(path, filled=False) as store:
        await store.write([DiscoveriesRecord(HOSTS, PAGES)])
        moved = LinkColumns([0], b"\x08", b"\0", [""])
        visits = [
            visit(2, visit=1, links=LinkColumns([3, 0], b"\0\0", b"\0\0", ["", ""])),
            visit(0, visit=2),
            visit(3, visit=3, outcome="server_error", state="failed"),
            visit(1, visit=4, outcome="redirected", state="redirected", links=moved),
        ]
        await store.write(visits)
        assert await outlinks(store) == [
            (2, [0, 3], [False, False], (False, False, False)),
            (0, [], [], (False, False, False)),
            (1, [0], [False], (False, True, False)),
        ]


async def test_more_pages_than_fit_one_chunk_come_out_in_order(path: Path) -> None:
    count = 25_000
    async with opened(path, filled=False) as store:
        await store.write([DiscoveriesRecord(HOSTS[:1], [page(number) for number in range(count)])])
        links = LinkColumns(list(range(1, count)), bytes(count - 1), bytes(count - 1), [""] * (count - 1))
        await store.write([visit(links=links)])
        numbers = [number async for chunk in store.state.pages() for number in chunk.numbers.tolist()]
        assert numbers == list(range(count))
        assert [(source, targets) for source, targets, *_ in await outlinks(store)] == [(0, list(range(1, count)))]


async def test_a_new_store_is_empty_and_had_no_run(path: Path) -> None:
    async with opened(path, filled=False) as store:
        assert await store.ask(lambda stored: stored.pages.is_empty())
        assert await store.ask(lambda stored: stored.runs.last_settings()) is None
        assert await store.ask(lambda stored: stored.runs.last_reason()) is None
        assert fetched(path) == 0
        assert await store.ask(lambda stored: stored.pages.last_visit()) == 0
        assert [chunk async for chunk in store.state.pages()] == []


# --- later records change earlier ones ----------------------------------------------------------


async def test_a_later_visit_replaces_an_earlier_one_links_included(path: Path) -> None:
    first = visit(links=LinkColumns([1, 2], bytes(2), bytes(2), ["", ""]))
    second = visit(attempt=2, visit=2, links=LinkColumns([2, 3], bytes(2), bytes(2), ["", ""]))
    async with opened(path) as store:
        await store.write([first])
        await store.write([second])
    assert rows(path, "SELECT attempt, visit FROM fetch") == [(2, 2)]
    assert rows(path, "SELECT target FROM link ORDER BY target") == [(2,), (3,)]


async def test_a_page_that_will_be_tried_again_keeps_waiting(path: Path) -> None:
    async with opened(path) as store:
        await store.write([visit(state="waiting", outcome="server_error", retry_at=1e9)])
    assert rows(path, "SELECT state, outcome, retry_at FROM page JOIN fetch ON page = id") == [
        ("waiting", "server_error", 1e9)
    ]


async def test_one_batch_may_find_admit_and_fetch_a_page(path: Path) -> None:
    found = visit(0, new_pages=[page(4, state="known")])
    admitted = visit(1, visit=2, admitted=[(4, 2, 1)], nearer=[(2, 0)])
    fetched = visit(4, visit=3)
    async with opened(path) as store:
        await store.write([found, admitted, fetched])
    assert rows(path, "SELECT id, state, depth FROM page WHERE id IN (2, 4)") == [(2, "waiting", 0), (4, "fetched", 2)]


async def test_the_state_of_a_host_is_the_last_one_and_what_that_lacks_stays(path: Path) -> None:
    failed = replace(REST, failures=2, last_error="dns_failure: gone")
    async with opened(path) as store:
        await store.write([failed, replace(REST, next_fetch=2000.0, address=None, is_given_up=True)])
    assert rows(path, "SELECT address, next_fetch, is_given_up, last_error FROM host WHERE id = 0") == [
        ("127.0.0.1", 2000.0, 1, "dns_failure: gone")
    ]


# --- whole or not at all ------------------------------------------------------------------------


async def test_what_looks_have_shown_of_the_signals_of_a_host_is_kept_as_the_last_look_had_it(path: Path) -> None:
    def look(at: float, *signals: StoredSignals) -> RevisitRecord:
        return RevisitRecord(0, at, evidence=PageEvidence(at + 9, 1e-6, b"seen", signals))

    first, feed = StoredSignals(0, "sitemap", 1.0, 0.3, 0.0, b"1"), StoredSignals(0, "feed", 1.0, 0.2, 0.1, b"2")
    later = replace(first, looks=2.0, precision=0.4)
    async with opened(path) as store:
        await store.write([FULL, look(1000.0, first), look(2000.0, later, feed)])
        assert await store.ask(lambda stored: stored.history.signals()) == [later, feed]
        assert await store.ask(lambda stored: stored.history.signals_about(0)) == [later, feed]
        assert await store.ask(lambda stored: stored.history.signals_about(3)) == []


async def test_a_batch_with_one_bad_record_leaves_nothing_behind(path: Path) -> None:
    async with opened(path) as store:
        bad = visit(1, visit=2, new_pages=[page(0, "again")])  # its number is taken
        with pytest.raises(sqlite3.IntegrityError):
            await store.write([FULL, bad])
        assert fetched(path) == 0
        await store.write([FULL])
        assert fetched(path) == 1
    assert rows(path, "SELECT count(*) FROM link") == [(4,)]


async def test_a_cancelled_write_is_whole_or_absent(path: Path) -> None:
    async with opened(path) as store:
        for number in range(10):
            batch = [visit(0, visit=number + 1, title=str(number)), visit(1, visit=number + 1, title=str(number))]
            writing = asyncio.create_task(store.write(batch))
            await asyncio.sleep(0)
            writing.cancel()
            await asyncio.wait([writing])
        await store.write([REST])
        titles = rows(path, "SELECT DISTINCT title FROM fetch")
        assert len(titles) <= 1, "both records of a batch, or none"


async def test_readers_see_whole_batches_and_never_block_the_writer(path: Path) -> None:
    async with opened(path) as store:
        run = await store.begin_run([], "{}", 1.0)
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            assert reader.execute("SELECT count(*) FROM fetch").fetchone() == (0,)
            async with asyncio.timeout(10):  # less than a writer waits for a lock
                await store.write([FULL])
                await store.end_run(run, "exhausted", {}, 2.0)
            assert reader.execute("SELECT count(*) FROM fetch").fetchone() == (0,)
            reader.execute("COMMIT")
            assert reader.execute("SELECT count(*) FROM fetch").fetchone() == (1,)


async def test_an_unfinished_look_at_the_store_does_not_keep_the_writer_from_writing(path: Path) -> None:
    async with opened(path) as store:
        pages = store.state.pages()
        await anext(pages)
        await store.write([FULL])
        assert fetched(path) == 1
        await pages.aclose()  # type: ignore[attr-defined]  # it is a generator


# --- runs ---------------------------------------------------------------------------------------


async def test_a_run_is_recorded_from_its_start_to_its_end(path: Path) -> None:
    async with opened(path) as store:
        run = await store.begin_run(["crawl", "http://a.test/"], '{"policy": {}}', 10.0)
        assert await store.ask(lambda stored: stored.runs.last_reason()) is None
        await store.report_progress(run, {"visits": 1}, 11.0)
        assert rows(path, "SELECT progress, updated_at, ended_at FROM run") == [('{"visits": 1}', 11.0, None)]
        await store.end_run(run, "stopped", {"visits": 2}, 12.0)
        assert await store.ask(lambda stored: stored.runs.last_reason()) == "stopped"
        assert await store.ask(lambda stored: stored.runs.last_settings()) == '{"policy": {}}'
        assert await store.begin_run([], "{}", 13.0) == run + 1
        assert await store.ask(lambda stored: stored.runs.last_reason()) is None
    assert rows(path, "SELECT command, reason, started_at, ended_at, progress FROM run WHERE id = 1") == [
        ('["crawl", "http://a.test/"]', "stopped", 10.0, 12.0, '{"visits": 2}')
    ]


async def test_links_are_found_by_their_targets_while_a_run_goes_on_and_after_it(path: Path) -> None:
    def sources(target: int) -> list[int]:
        with reading(path) as reader:
            return [link.page.number for link in reader.links.inlinks(target, -1, 10).links]

    async with opened(path) as store:
        run = await store.begin_run([], "{}", 1.0)
        await store.write([visit(links=LinkColumns([1, 2], bytes(2), bytes(2), ["", ""]))])
        assert sources(2) == [0]
        await store.end_run(run, "stopped", {}, 2.0)
        assert rows(path, "SELECT count(*) FROM unsorted") == [(0,)]
        await store.begin_run([], "{}", 3.0)
        await store.write([visit(attempt=2, links=LinkColumns([1], bytes(1), bytes(1), [""]))])
        assert (sources(1), sources(2)) == ([0], [])
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


async def test_links_are_sorted_as_soon_as_there_are_enough(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hinterland.storage.link_store.ENTRIES_AT_ONCE", 3)
    async with opened(path) as store:
        await store.write([visit(links=LinkColumns([1, 2], bytes(2), bytes(2), ["", ""]))])
        assert rows(path, "SELECT count(*) FROM unsorted") == [(1,)]
        await store.write([visit(1, visit=2, links=LinkColumns([2], bytes(1), bytes(1), [""]))])
        assert rows(path, "SELECT (SELECT count(*) FROM unsorted), count(*) FROM sorted_run") == [(0, 1)]


async def test_the_views_answer_in_words(path: Path) -> None:
    redirected = visit(1, visit=2, state="redirected", outcome="redirected", redirect_target=2)
    failed = visit(2, visit=3, state="failed", outcome="client_error", status=404, detail="status 404")
    async with opened(path) as store:
        await store.write([FULL, redirected, failed])
    columns = "substr(url, 15), site, state, referrer, redirect_target, canonical, body_hash"
    a, digest = "http://a.test", b"0123456789abcdef".hex().upper()
    assert rows(path, f"SELECT {columns} FROM pages") == [
        ("0", "a.test", "fetched", None, None, f"{a}/1", digest),
        ("1", "a.test", "redirected", f"{a}/0", f"{a}/2", None, ""),
        ("2", "a.test", "failed", f"{a}/0", None, None, ""),
        ("3", "b.test", "known", f"{a}/0", None, None, ""),
    ]
    columns = "target, kind, nofollow, anchor, leaves_host, target_is_local"
    assert rows(path, f"SELECT {columns} FROM links ORDER BY 1, 2") == [
        (f"{a}/1", "a", 0, "one", 0, 1),
        (f"{a}/1", "canonical", 0, "", 0, 1),
        (f"{a}/2", "a", 1, "two", 0, 1),
        ("http://b.test/3", "a", 0, "ü", 1, 0),
    ]
    assert rows(path, "SELECT url, pages_known, pages_waiting FROM hosts") == [
        ("http://a.test", 3, 0), ("http://b.test", 1, 0),
    ]  # fmt: skip
    assert rows(path, "SELECT * FROM errors") == [("client_error", 404, 1, "http://a.test/2", "status 404")]


# --- opening ------------------------------------------------------------------------------------


async def test_a_store_is_found_as_it_was_left(path: Path) -> None:
    async with opened(path) as store:
        await store.write([FULL])
    async with opened(path, filled=False) as store:
        assert fetched(path) == 1
    assert rows(path, "SELECT count(*) FROM migration") == [(len(migration_names()),)]
    assert {file.name for file in path.parent.iterdir()} == {"store.db", "store.db.lock"}


async def test_a_second_crawler_is_refused_and_changes_nothing(path: Path) -> None:
    async with opened(path) as store:
        with pytest.raises(StoreInUse, match=r"store\.db is in use"):
            async with LinkStore(path):
                pass
        await store.write([FULL])


async def test_a_folder_that_does_not_exist_is_named(path: Path) -> None:
    with pytest.raises(StoreError, match=r"folder .*missing does not exist"):
        async with LinkStore(path.parent / "missing" / "store.db"):
            pass


async def test_a_store_that_cannot_be_locked_is_not_opened(path: Path) -> None:
    await asyncio.to_thread(path.with_name(f"{path.name}.lock").mkdir)
    with pytest.raises(StoreError, match=f"{path} cannot be opened: "):
        async with LinkStore(path):
            pass


async def test_a_folder_is_no_store(path: Path) -> None:
    await asyncio.to_thread(path.mkdir)
    with pytest.raises(StoreError, match="cannot be opened"):
        async with LinkStore(path):
            pass


async def test_a_file_of_another_kind_is_no_store(path: Path) -> None:
    await asyncio.to_thread(path.write_bytes, b"GIF89a" + bytes(5000))
    with pytest.raises(StoreError, match="is not a link store"):
        async with LinkStore(path):
            pass
    assert (await asyncio.to_thread(path.read_bytes))[:6] == b"GIF89a"


async def test_a_database_of_something_else_is_left_as_it_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
    before = await asyncio.to_thread(path.read_bytes)
    with pytest.raises(StoreError, match="is an SQLite database, but not a link store"):
        async with LinkStore(path):
            pass
    assert await asyncio.to_thread(path.read_bytes) == before


async def test_a_store_of_a_later_version_is_refused(path: Path) -> None:
    async with opened(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO migration VALUES ('9999-later', 'tomorrow')")
        connection.commit()
    with pytest.raises(StoreError, match=r"9999-later.*update the program"):
        async with LinkStore(path):
            pass


async def test_a_store_that_was_refused_is_not_held(path: Path) -> None:
    await asyncio.to_thread(path.write_bytes, b"no store" * 1000)
    with pytest.raises(StoreError):
        async with LinkStore(path):
            pass
    await asyncio.to_thread(path.unlink)
    async with LinkStore(path):
        pass


async def test_deleted_rows_are_not_overwritten_through_the_log(path: Path) -> None:
    def log_bytes() -> int:
        return Path(f"{path}-wal").stat().st_size

    async with opened(path) as store:
        await store.write([visit(content=ContentRecord(bytes(1_000_000), "[]", b"body", b""))])
        await store.end_run(await store.begin_run([], "{}", 1.0), "stopped", {}, 2.0)
        assert log_bytes() == 0
        await store.clear()
        assert log_bytes() < 500_000  # not the freed pages
