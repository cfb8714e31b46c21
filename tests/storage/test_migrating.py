"""A store that an earlier version left is brought up to date by its next reader."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreLock
from hinterland.storage.migrations import CREATE_MIGRATION_TABLE, migration_names, pending_migrations
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a page, as the first two migrations left it."""
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(CREATE_MIGRATION_TABLE)
        for script in pending_migrations(set(migration_names()[2:])):
            connection.executescript(script)
        connection.execute("INSERT INTO host (id, url, site) VALUES (0, 'http://a.test', 'a.test')")
        connection.execute("INSERT INTO page VALUES (0, 'http://a.test/', 0, 'waiting', 1, 0, NULL, 0)")
    return path


def applied(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM migration ORDER BY rowid")]


def test_who_looks_at_a_store_of_an_earlier_version_brings_it_up_to_date(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        with reading(path) as store:
            assert store.pages.counts().of("waiting") == 1
    assert applied(path) == list(migration_names())
    assert [record.message for record in caplog.records] == [
        f"{path} was written by an earlier version; bringing it up to date, once ..."
    ]


def test_a_store_that_an_earlier_version_is_writing_stays_as_it_is(path: Path) -> None:
    lock = StoreLock(path)
    lock.acquire()
    try:
        with pytest.raises(NoStore, match=r"earlier version and cannot be brought up to date: .* is in use"):
            reading(path).__enter__()
    finally:
        lock.release()
    assert len(applied(path)) == 2


async def test_numbers_that_looks_had_lost_are_there_again(path: Path) -> None:
    """Readers of a store assume that they count up from 0."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        later = {name for name in migration_names() if name >= "0021"}
        for script in pending_migrations({*migration_names()[:2], *later}):
            connection.executescript(script)
        connection.execute("INSERT INTO host (id, url, site) VALUES (2, 'http://c.test', 'c.test')")
        connection.execute("INSERT INTO page VALUES (2, 'http://a.test/2', 0, 'known', 0, 1, NULL, 0)")
        connection.execute("INSERT INTO page VALUES (3, 'http://c.test/3', 2, 'known', 0, 1, NULL, 0)")
        connection.execute("INSERT INTO link VALUES (0, 5, 0, 0, '')")
        connection.execute("INSERT INTO look (page, looked_at, looks, changes, missed) VALUES (0, 1, 1, 0, 0)")
    async with LinkStore(path) as store:
        hosts = [host.url for host in await store.ask(lambda stored: stored.hosts.stored())]
        urls = [url async for pages in store.state.pages() for url in pages.urls]
        counts = await store.ask(lambda stored: stored.pages.counts())
    lost = "http://lost-3.invalid"
    assert hosts == ["http://a.test", "http://lost-1.invalid", "http://c.test", lost]
    assert urls == ["http://a.test/", f"{lost}/1", "http://a.test/2", "http://c.test/3", f"{lost}/4", f"{lost}/5"]
    assert counts.of("known") == 5


@pytest.mark.parametrize("limit, again", [(300.0, {3, 4}), (10.0, {2, 3, 4}), (None, {3, 4})])
async def test_a_robots_txt_whose_crawl_delay_may_have_been_cut_is_read_again(
    path: Path, limit: float | None, again: set[int]
) -> None:
    settings = "{}" if limit is None else f'{{"robots": {{"max_crawl_delay_seconds": {limit}}}}}'
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        later = {name for name in migration_names() if name >= "0023"}
        for script in pending_migrations({*migration_names()[:2], *later}):
            connection.executescript(script)
        connection.execute(
            "INSERT INTO run (started_at, command, settings, updated_at) VALUES (0, '[]', ?, 0)", (settings,)
        )
        for number, delay in enumerate([None, 2.5, 10.0, 300.0, 86400.0]):
            connection.execute("INSERT OR REPLACE INTO host (id, url, site) VALUES (?, ?, '')", (number, f"h{number}"))
            connection.execute(
                "INSERT INTO robots (host, status, fetched_at, expires_at, text, crawl_delay, sitemaps)"
                " VALUES (?, 200, 0, 1e12, x'2a', ?, '[]')",
                (number, delay),
            )
    async with LinkStore(path) as store:
        hosts = await store.ask(lambda stored: stored.hosts.stored())
    assert {host.number for host in hosts if host.robots_expires_at == 0} == again
    assert all(host.has_robots_text for host in hosts)
