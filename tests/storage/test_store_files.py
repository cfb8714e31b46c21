"""A store whose files are deleted, moved or replaced while it is open: noticed, and nothing committed is lost."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from hinterland.storage.link_store import LinkStore
from hinterland.storage.store_files import StoreFiles, StoreGone, file_of, require_same
from hinterland.storage.values.records import DiscoveriesRecord, HostRecord, PageRecord
from tests.support.crawling import is_sound, rows

HOST = HostRecord(0, "http://a.test", "a.test")


def pages(*numbers: int) -> DiscoveriesRecord:
    """The pages, with their host if the first is among them."""
    found = [PageRecord(number, f"http://a.test/{number}", 0, "waiting", 1, 1, None, 0) for number in numbers]
    return DiscoveriesRecord([HOST] if 0 in numbers else [], found)


def stored(path: Path) -> list[int]:
    assert is_sound(path)
    return [number for (number,) in rows(path, "SELECT id FROM page ORDER BY id")]


async def used(path: Path, *steps: DiscoveriesRecord | Callable[[Path], None]) -> None:
    """Open a store, write records and let things happen to its files, close it."""
    async with LinkStore(path) as store:
        for step in steps:
            await store.write([step]) if isinstance(step, DiscoveriesRecord) else step(path)


def delete(store: Path) -> None:
    store.unlink()


def delete_all(store: Path) -> None:
    for file in store.parent.glob(f"{store.name}*"):
        file.unlink()


def replace(store: Path) -> None:
    other = store.with_name("other.txt")
    other.write_text("of somebody else")
    other.rename(store)


def delete_log(store: Path) -> None:
    store.with_name(f"{store.name}-wal").unlink()


def delete_index_of_log(store: Path) -> None:
    store.with_name(f"{store.name}-shm").unlink()


def delete_folder(store: Path) -> None:
    delete_all(store)
    store.parent.rmdir()


def rename_folder(store: Path) -> None:
    store.parent.rename(store.parent.with_name("there"))


def fail(_: Path) -> None:
    raise ZeroDivisionError


def rename(store: Path) -> None:
    store.rename(store.with_name("renamed.db"))


def move_all(store: Path) -> None:
    folder = store.parent / "away"
    folder.mkdir()
    for file in store.parent.glob(f"{store.name}*"):
        file.rename(folder / file.name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "befall, what, kept_in",
    [
        (delete, "s.db was deleted while it was being written; all that was fetched is saved in", "here/s.rescued.db"),
        (delete_all, "s.db was deleted while it was being written", "here/s.rescued.db"),
        (replace, "s.db was replaced by another file while it was being written", "here/s.rescued.db"),
        (rename, "renamed.db while it was being written; all that was fetched is in that file", "here/renamed.db"),
        (move_all, "s.db was moved to", "here/away/s.db"),
        (rename_folder, "s.db was moved to", "there/s.db"),
        (delete_log, "s.db-wal was deleted", "here/s.db"),
        (delete_index_of_log, "s.db-shm was deleted", "here/s.db"),
    ],
)
async def test_what_was_written_before_and_after_the_files_were_gone_is_kept(
    befall: Callable[[Path], None], what: str, kept_in: str, tmp_path: Path
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    with pytest.raises(StoreGone) as gone:
        await used(folder / "s.db", pages(0, 1), befall, pages(2))
    assert what in str(gone.value)
    assert gone.value.now_at == tmp_path / kept_in
    assert stored(tmp_path / kept_in) == [0, 1, 2]


async def test_a_store_that_goes_after_its_last_write_is_missed_when_it_is_closed(tmp_path: Path) -> None:
    with pytest.raises(StoreGone, match=r"saved in .*s\.rescued\.db"):
        await used(tmp_path / "s.db", pages(0), delete)
    assert stored(tmp_path / "s.rescued.db") == [0]


async def test_a_report_of_progress_notices_that_the_store_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with LinkStore(path) as store:
        run = await store.begin_run([], "{}", 0.0)
        await store.report_progress(run, {}, 1.0)
        path.rename(tmp_path / "away.db")
        with pytest.raises(StoreGone):
            await store.report_progress(run, {}, 2.0)
        (tmp_path / "away.db").rename(path)
        await store.report_progress(run, {}, 3.0)
    assert rows(path, "SELECT updated_at FROM run") == [(3.0,)]


async def test_where_the_folder_is_gone_as_well_the_copy_is_made_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    with pytest.raises(StoreGone) as gone:
        await used(tmp_path / "here" / "s.db", pages(0), delete_folder, pages(1))
    assert gone.value.now_at == Path("s.rescued.db")
    assert stored(tmp_path / "work" / "s.rescued.db") == [0, 1]


async def test_no_copy_takes_the_place_of_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "s.rescued.db").write_text("of an earlier accident")
    with pytest.raises(StoreGone) as gone:
        await used(tmp_path / "s.db", pages(0), delete)
    assert gone.value.now_at == tmp_path / "s.rescued-2.db"
    assert (tmp_path / "s.rescued.db").read_text() == "of an earlier accident"


async def test_a_copy_that_fails_leaves_nothing_behind_and_is_made_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    rename = Path.rename

    def full_disk(self: Path, target: Path) -> Path:
        if self.parent == tmp_path / "here":
            raise OSError("No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", full_disk)
    with pytest.raises(StoreGone) as gone:
        await used(tmp_path / "here" / "s.db", pages(0), delete_all)
    assert gone.value.now_at == Path("s.rescued.db")
    assert os.listdir(tmp_path / "here") == []  # noqa: PTH208
    assert stored(tmp_path / "work" / "s.rescued.db") == [0]


async def test_of_a_store_without_a_page_nothing_is_kept(tmp_path: Path) -> None:
    with pytest.raises(StoreGone) as gone:
        await used(tmp_path / "s.db", delete)
    assert gone.value.now_at is None
    assert not any(name.endswith(".db") for name in os.listdir(tmp_path))  # noqa: PTH208  (no coroutine has Path.iterdir)


async def test_nothing_is_left_in_a_log_that_another_file_would_take_for_its_own(tmp_path: Path) -> None:
    with pytest.raises(StoreGone):
        await used(tmp_path / "s.db", pages(0), replace)
    assert (tmp_path / "s.db-wal").stat().st_size == 0
    assert (tmp_path / "s.db").read_text() == "of somebody else"


async def test_a_bug_is_not_hidden_by_a_store_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as bug:
        await used(tmp_path / "s.db", pages(0), delete, fail)
    [note] = bug.value.__notes__
    assert "s.db was deleted" in note
    assert stored(tmp_path / "s.rescued.db") == [0]


async def test_a_store_reached_by_a_symbolic_link_is_watched_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "s.db").symlink_to(tmp_path / "real" / "file.db")
    async with LinkStore(tmp_path / "s.db") as store:
        await store.write([pages(0)])
        files = StoreFiles(tmp_path / "s.db")
        assert files.change() is None
        (tmp_path / "real" / "file.db-wal").rename(tmp_path / "real" / "log")
        change = files.change()
        (tmp_path / "real" / "log").rename(tmp_path / "real" / "file.db-wal")
    assert change is not None
    assert change.is_log


async def test_a_deleted_lock_is_taken_again(tmp_path: Path) -> None:
    lock = tmp_path / "s.db.lock"
    async with LinkStore(tmp_path / "s.db") as store:
        lock.unlink()
        await store.write([pages(0)])
        assert lock.read_text() == f"{os.getpid()}\n"
        await store.write([pages(1)])
    assert stored(tmp_path / "s.db") == [0, 1]


async def test_a_second_crawl_let_in_by_a_deleted_lock_ends_the_first_where_files_have_no_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(fcntl, "F_OFD_SETLK")
    path = tmp_path / "s.db"
    async with LinkStore(path) as first:
        await first.write([pages(0)])
        (tmp_path / "s.db.lock").unlink()
        async with LinkStore(path):
            with pytest.raises(StoreGone, match=r"s\.db\.lock was deleted, and another crawl \(process \d+\)"):
                await first.write([pages(1)])
    assert stored(path) == [0, 1]


def test_a_file_that_was_deleted_or_replaced_since_is_not_the_same(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_text("one")
    opened = file_of(path)
    require_same(path, opened, "read")
    replace(path)
    with pytest.raises(StoreGone, match="was replaced while it was being read"):
        require_same(path, opened, "read")
    path.unlink()
    with pytest.raises(StoreGone, match="was deleted or moved while it was being read"):
        require_same(path, opened, "read")


def test_what_is_gone_is_a_failure_of_the_store() -> None:
    assert isinstance(StoreGone("x"), sqlite3.OperationalError)
