"""One crawl per store, whatever names its file has, and every name shows the whole store."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreInUse, holder_of
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.records import DiscoveriesRecord, HostRecord, PageRecord
from tests.support.crawling import is_sound, rows
from tests.support.ready_programs import ROOT, ready

pytestmark = pytest.mark.slow


def pages(*numbers: int) -> DiscoveriesRecord:
    """The pages, with their host if the first is among them."""
    hosts = [HostRecord(0, "http://a.test", "a.test")] if 0 in numbers else []
    found = [PageRecord(number, f"http://a.test/{number}", 0, "waiting", 1, 1, None, 0) for number in numbers]
    return DiscoveriesRecord(hosts, found)


class OtherCrawl:
    """Another process that has written pages to a store, and keeps it open until it is asked to end or killed."""

    def __init__(self, store: Path, *numbers: int, folder: Path = ROOT) -> None:
        script = ROOT / "tests" / "support" / "held_store.py"
        self.process = subprocess.Popen(
            [*ready(script), str(store), *map(str, numbers)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        what, _, number = self.process.stdout.readline().rpartition(" ")
        assert what == "written by"
        self.number = int(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> None:
        self.process.communicate()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    return tmp_path / "here" / "store.db"


def symbolic_link(store: Path) -> Path:
    other = store.with_name("symbolic.db")
    other.symlink_to(store.name)
    return other


def symbolic_link_elsewhere(store: Path) -> Path:
    other = store.parents[1] / "there" / "other.db"
    other.symlink_to(store)
    return other


def link_to_a_link(store: Path) -> Path:
    other = store.with_name("second.db")
    other.symlink_to(symbolic_link_elsewhere(store))
    return other


def folder_that_is_a_link(store: Path) -> Path:
    folder = store.parents[1] / "folder"
    folder.symlink_to(store.parent)
    return folder / store.name


def path_with_dots(store: Path) -> Path:
    return store.parent / ".." / "there" / ".." / "here" / "." / store.name


def relative_path(store: Path) -> Path:
    return Path(os.path.relpath(store))


def hard_link(store: Path) -> Path:
    other = store.with_name("hard.db")
    other.hardlink_to(store)
    return other


def hard_link_elsewhere(store: Path) -> Path:
    other = store.parents[1] / "there" / "hard.db"
    other.hardlink_to(store)
    return other


def link_to_a_hard_link(store: Path) -> Path:
    other = store.with_name("link.db")
    other.symlink_to(hard_link_elsewhere(store))
    return other


def moved(store: Path) -> Path:
    """Its new name, and there is another file of the old one."""
    other = store.with_name("moved.db")
    store.rename(other)
    store.touch()
    return other


SAME_NAME = [
    symbolic_link,
    symbolic_link_elsewhere,
    link_to_a_link,
    folder_that_is_a_link,
    path_with_dots,
    relative_path,
]
HARD = [hard_link, hard_link_elsewhere, link_to_a_hard_link]
Naming = Callable[[Path], Path]


@pytest.fixture(params=[*SAME_NAME, *HARD])
def naming(request: pytest.FixtureRequest) -> Naming:
    naming: Naming = request.param
    return naming


async def test_a_store_that_is_being_written_has_no_name_by_which_another_crawl_can_open_it(
    store: Path, naming: Naming
) -> None:
    other = OtherCrawl(store, 0)
    name = naming(store)
    try:
        with pytest.raises(StoreInUse, match=rf"{name} is in use by another crawl \(process {other.number}, as "):
            async with LinkStore(name):
                pass
        assert holder_of(name) == other.number
    finally:
        other.end()
    async with LinkStore(name) as after:
        await after.write([pages(1)])
    assert is_sound(store)
    assert rows(store, "SELECT id FROM page") == [(0,), (1,)]


async def test_a_hard_link_made_before_the_first_page_is_written_lets_no_second_crawl_in(store: Path) -> None:
    async with LinkStore(store):
        pass
    name = hard_link(store)
    async with LinkStore(store):
        with pytest.raises(StoreInUse, match=rf"process {os.getpid()}, which has that file open"):
            async with LinkStore(name):
                pass


async def test_a_store_that_was_moved_while_it_is_written_lets_no_second_crawl_in(store: Path) -> None:
    other = OtherCrawl(store, 0)
    name = moved(store)
    try:
        with pytest.raises(StoreInUse, match=rf"process {other.number}, which has that file open"):
            async with LinkStore(name):
                pass
        assert holder_of(name) == other.number
    finally:
        other.end()


async def test_a_lock_file_that_was_deleted_lets_no_second_crawl_in(store: Path) -> None:
    other = OtherCrawl(store, 0)
    store.with_name("store.db.lock").unlink()
    try:
        with pytest.raises(StoreInUse, match=rf"process {other.number}, which has that file open"):
            async with LinkStore(store):
                pass
    finally:
        other.end()


async def test_what_a_killed_crawl_had_written_is_there_by_every_name(store: Path, naming: Naming) -> None:
    other = OtherCrawl(store, 0, 1)
    name = naming(store)
    other.kill()
    with reading(name) as stored:
        assert stored.pages.count() == 2
        assert stored.size_bytes() > 100_000  # its log included
    async with LinkStore(name) as after:
        await after.write([pages(2)])
    assert is_sound(store)
    assert rows(store, "SELECT id FROM page") == [(0,), (1,), (2,)]


def test_a_crawl_that_runs_is_seen_by_every_name(store: Path, naming: Naming) -> None:
    other = OtherCrawl(store, 0, 1)
    name = naming(store)
    try:
        with reading(name) as stored:
            assert stored.pages.count() == 2
            assert stored.holder == other.number
    finally:
        other.end()


async def test_a_copy_and_a_link_that_leads_to_it_are_stores_of_their_own(store: Path) -> None:
    other = OtherCrawl(store, 0)
    copy = store.with_name("copy.db")
    await asyncio.to_thread(lambda: subprocess.run(["cp", "-a", store, copy], check=True))
    link = store.with_name("link.db")
    link.symlink_to(copy)
    async with LinkStore(link) as second:
        await second.write([pages(0)])
    other.end()
    assert is_sound(copy)


async def test_the_lock_of_a_store_is_not_lost_when_it_is_checked(store: Path) -> None:
    async with LinkStore(store) as first:
        await first.write([pages(0)])
        for _ in range(2):
            assert holder_of(store) == os.getpid()
            with reading(store) as stored:
                assert stored.holder == os.getpid()
        store.with_name("store.db.lock").unlink()
        assert holder_of(store) == os.getpid()
        with pytest.raises(StoreInUse):
            async with LinkStore(hard_link(store)):
                pass


async def test_a_reader_of_the_same_process_does_not_keep_a_store_that_was_closed(store: Path) -> None:
    async with LinkStore(store) as first:
        await first.write([pages(0)])
    with reading(store) as stored:
        assert stored.pages.count() == 1
        async with LinkStore(store) as second:
            await second.write([pages(1)])
        assert holder_of(store) is None
        async with LinkStore(hard_link(store)) as third:
            await third.write([pages(2)])
    assert is_sound(store)


async def test_a_store_that_a_reader_of_the_process_keeps_open_is_locked_each_time_it_is_opened(store: Path) -> None:
    async with LinkStore(store) as first:
        await first.write([pages(0)])
    with reading(store) as stored:
        assert stored.pages.count() == 1
        for _ in range(3):
            async with LinkStore(store):
                store.with_name("store.db.lock").unlink()
                assert holder_of(store) == os.getpid()
                with pytest.raises(StoreInUse):
                    async with LinkStore(hard_link(store)):
                        pass
                store.with_name("hard.db").unlink()
            assert holder_of(store) is None


async def test_where_files_have_no_locks_of_their_own_the_name_has_one(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(fcntl, "F_OFD_SETLK")
    async with LinkStore(store) as first:
        await first.write([pages(0)])
        with pytest.raises(StoreInUse):
            async with LinkStore(symbolic_link(store)):
                pass
