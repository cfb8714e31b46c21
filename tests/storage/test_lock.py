"""One crawler per store, by a lock that no kill can leave behind."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hinterland.storage.lock import StoreInUse, StoreLock, holder_of

ROOT = Path(__file__).parents[2]
HOLD = "import sys; from pathlib import Path; from hinterland.storage.lock import StoreLock; "
HOLD += "StoreLock(Path(sys.argv[1])).acquire(); print('held', flush=True); sys.stdin.read()"


def holder(store: Path) -> subprocess.Popen[str]:
    """Another process that holds the store until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(store)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_holder_is_refused_and_learns_who_holds_the_store(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with holder(store) as other:
        with pytest.raises(StoreInUse, match=rf"{store} is in use by another crawl \(process {other.pid}\)"):
            StoreLock(store).acquire()
        other.kill()


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with holder(store) as other:
        other.kill()
    lock = StoreLock(store)
    lock.acquire()
    lock.release()


def test_a_store_is_held_by_who_has_its_lock_and_not_by_who_has_the_number_in_it(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    assert holder_of(store) is None
    with holder(store) as other:
        assert holder_of(store) == other.pid
        other.kill()
    (tmp_path / "crawl.db.lock").write_text(f"{os.getpid()}\n")  # another process has its number by now
    assert holder_of(store) is None


def test_a_holder_that_has_not_said_its_number_yet_is_one(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path / "crawl.db")
    lock.acquire()
    (tmp_path / "crawl.db.lock").write_text("")
    assert holder_of(tmp_path / "crawl.db") == 0
    lock.release()


def test_who_only_looks_turns_no_crawler_away(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    (tmp_path / "crawl.db.lock").touch()
    with (tmp_path / "crawl.db.lock").open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        begun = threading.Timer(0.02, fcntl.flock, (looking, fcntl.LOCK_UN))
        begun.start()
        lock = StoreLock(store)
        lock.acquire()
        lock.release()
        begun.join()


def test_a_released_store_can_be_taken_again(tmp_path: Path) -> None:
    first, second = StoreLock(tmp_path / "crawl.db"), StoreLock(tmp_path / "crawl.db")
    first.acquire()
    with pytest.raises(StoreInUse, match=f"process {os.getpid()}"):
        second.acquire()
    first.release()
    second.acquire()
    second.release()


def test_stores_in_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    locks = [StoreLock(tmp_path / name) for name in ("a.db", "b.db", "a")]
    for lock in locks:
        lock.acquire()
    for lock in locks:
        lock.release()


def test_the_lock_leaves_the_store_itself_alone(tmp_path: Path) -> None:
    lock = StoreLock(tmp_path / "crawl.db")
    lock.acquire()
    assert [file.name for file in tmp_path.iterdir()] == ["crawl.db.lock"]
    lock.release()
    assert (tmp_path / "crawl.db.lock").read_bytes() == b""
    lock.release()
