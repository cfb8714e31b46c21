"""A store that is kept open between questions is noticed to change, whatever happens to it."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from hinterland.library.patient_reading import TookTooLong, patient
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.kept_readers import KeptReaders
from hinterland.storage.reading.reader import StoreReader
from tests.support.stores import make_store


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "kept.db"
    asyncio.run(make_store(path))
    return path


def changed(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


def first_url(readers: KeptReaders) -> str:
    with readers.reading() as store:
        [(url,)] = store.connection.execute("SELECT url FROM page ORDER BY id LIMIT 1")
        return str(url)


def test_a_connection_is_used_again(store: Path) -> None:
    readers = KeptReaders(store)
    with readers.reading() as first:
        pass
    with readers.reading() as second:
        assert second is first
        with readers.reading() as beside:
            assert beside is not first
    readers.close()
    with readers.reading() as later:
        assert later not in (first, beside)
    readers.close()


def test_what_a_crawl_writes_meanwhile_is_read(store: Path) -> None:
    readers = KeptReaders(store)
    before = first_url(readers)
    with closing(sqlite3.connect(store, isolation_level=None)) as crawl:
        crawl.execute("UPDATE page SET url = 'http://written.test/' WHERE id = (SELECT min(id) FROM page)")
        assert first_url(readers) == "http://written.test/" != before
        crawl.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        crawl.execute("UPDATE page SET url = 'http://again.test/' WHERE id = (SELECT min(id) FROM page)")
        assert first_url(readers) == "http://again.test/"
    readers.close()


@pytest.mark.parametrize("way", ["moved over it", "copied into it", "deleted before"])
def test_another_store_in_its_place_is_read(store: Path, tmp_path: Path, way: str) -> None:
    readers = KeptReaders(store)
    first_url(readers)
    other = tmp_path / "other.db"
    shutil.copy(store, other)
    changed(other, "UPDATE page SET url = 'http://other.test/' WHERE id = (SELECT min(id) FROM page)")
    if way == "copied into it":
        store.write_bytes(other.read_bytes())
    else:
        if way == "deleted before":
            store.unlink()
            with pytest.raises(NoStore, match="there is no store"):
                first_url(readers)
        other.rename(store)
    assert first_url(readers) == "http://other.test/"
    readers.close()


def test_a_link_that_leads_to_another_store_is_followed(store: Path, tmp_path: Path) -> None:
    link, other = tmp_path / "link.db", tmp_path / "other.db"
    link.symlink_to(store)
    readers = KeptReaders(link)
    first_url(readers)
    shutil.copy(store, other)
    changed(other, "UPDATE page SET url = 'http://other.test/' WHERE id = (SELECT min(id) FROM page)")
    link.unlink()
    link.symlink_to(other)
    assert first_url(readers) == "http://other.test/"
    readers.close()


def test_a_store_that_a_later_version_has_migrated_is_refused(store: Path) -> None:
    readers = KeptReaders(store)
    first_url(readers)
    changed(store, "INSERT INTO migration VALUES ('9999-of-tomorrow', '2030-01-01')")
    with pytest.raises(NoStore, match="9999-of-tomorrow"):
        first_url(readers)
    readers.close()


def test_a_question_that_fails_or_stops_halfway_leaves_nothing_open(store: Path) -> None:
    readers = KeptReaders(store)
    with pytest.raises(NoStore, match="no such table"), readers.reading() as failed:
        failed.connection.execute("SELECT * FROM no_such_table")
    with readers.reading() as halfway:
        assert halfway is not failed
        halfway.connection.execute("BEGIN")
    with readers.reading() as third:
        assert third is not halfway
    with (
        pytest.raises(TookTooLong, match="longer than 0 s"),
        patient(readers.reading(), 0.0) as slow,
    ):
        slow.connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT max(i) FROM n"
        ).fetchall()
    assert first_url(readers)  # without the limit of the question before
    readers.close()


def test_unused_connections_are_closed(store: Path) -> None:
    readers = KeptReaders(store, idle_seconds=0.0)
    seen: list[StoreReader] = []
    with readers.reading() as reader:
        seen.append(reader)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        seen[0].connection.execute("SELECT 1")
    assert first_url(readers)
    readers.close()


def test_threads_take_turns(store: Path) -> None:
    readers = KeptReaders(store)
    urls: list[str] = []
    threads = [threading.Thread(target=lambda: urls.append(first_url(readers))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(urls) == 12
    assert len(set(urls)) == 1
    readers.close()
