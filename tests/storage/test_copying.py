from __future__ import annotations

import errno
import shutil
from pathlib import Path

import pytest

from hinterland.storage.copying import copy_store, mark_of, take_copy
from hinterland.storage.failures import SqliteError
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.records import DiscoveriesRecord, HostRecord
from hinterland.storage.values.shards import ShardMark
from tests.support.crawling import is_sound, rows

MARK = ShardMark("a crawl", 0, 4, 3)


def found(number: int) -> DiscoveriesRecord:
    return DiscoveriesRecord([HostRecord(number, f"https://h{number}.example", "example")])


async def test_a_copy_has_what_is_committed_and_the_crawl_goes_on_with_it_elsewhere(tmp_path: Path) -> None:
    store, copy, elsewhere = (tmp_path / name for name in ("0.db", "copy.db", "other.db"))
    async with LinkStore(store) as writing:
        await writing.own(MARK)
        await writing.write([found(0)])
        copy_store(store, copy)
        await writing.write([found(1)])
        assert rows(copy, "SELECT count(*) FROM host") == [(1,)]
        copy_store(store, copy)
    (tmp_path / "other.db-wal").write_bytes(b"of a store that was there before")
    take_copy(copy, elsewhere)
    assert mark_of(elsewhere) == MARK
    async with LinkStore(elsewhere) as other:
        await other.write([found(2)])
    assert rows(elsewhere, "SELECT count(*) FROM host") == [(3,)]
    assert is_sound(elsewhere)


async def test_a_copy_that_cannot_be_written_leaves_the_last_one(tmp_path: Path) -> None:
    store, folder = tmp_path / "0.db", tmp_path / "shared"
    folder.mkdir()
    async with LinkStore(store) as writing:
        await writing.own(MARK)
        copy_store(store, folder / "0.db")
        (folder / "0.db.new").mkdir()  # stands for a disk that is full
        await writing.write([found(0)])
        with pytest.raises(OSError, match=r"0\.db\.new"):
            copy_store(store, folder / "0.db")
    assert mark_of(folder / "0.db") == MARK
    assert not store.with_name("0.db.copying").exists()


async def test_half_a_copy_does_not_stay_on_a_disk_that_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, folder = tmp_path / "0.db", tmp_path / "shared"
    folder.mkdir()

    def half_copied(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes()[:1000])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", half_copied)
    async with LinkStore(store) as writing:
        await writing.own(MARK)
        with pytest.raises(OSError, match="No space left"):
            copy_store(store, folder / "0.db")
    assert list(folder.iterdir()) == []


async def test_a_store_that_was_never_owned_has_no_mark(tmp_path: Path) -> None:
    assert mark_of(tmp_path / "none.db") is None
    (tmp_path / "begun.db").touch()  # killed before there was a table
    assert mark_of(tmp_path / "begun.db") is None
    async with LinkStore(tmp_path / "free.db"):
        assert mark_of(tmp_path / "free.db") is None


def test_a_mark_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / "other.db").write_bytes(b"no database" * 100)
    with pytest.raises(SqliteError, match="not a database"):
        mark_of(tmp_path / "other.db")
    with pytest.raises(FileNotFoundError, match="not mounted"):
        mark_of(tmp_path / "not mounted" / "0.db")
