"""Disks that are full or read-only, and stores that are taken away."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.faults.cell import Cell, Lost, last_words, size_of
from benchmarks.faults.comparison import compare_stores, unsoundness
from benchmarks.faults.kinds.fault import Fault
from benchmarks.faults.modes import Place
from benchmarks.faults.servers import Job
from hinterland.search.index.index_folder import default_folder

_ROOM: Final = 1 << 30
_SHARES: Final = (0.5, 0.9, 1.3)
_NAMED: Final = re.compile(r"(?:--store|saved in|moved to|fetched is in) (\S+?)[;,]?(?=\s|$)")
_REFUSED: Final = (2, 3, 9, 11)
"""Exit codes that say that something could not be written."""


def disk_full(cell: Cell) -> None:
    """Use a file system with half the space that the result needs, then a little more, then enough."""
    _mount(cell, _ROOM)
    begins_with = size_of(cell.place.folder)
    needed = size_of(cell.calm_place.folder) - begins_with
    codes = list[int | None]()
    job = None
    for share in _SHARES:
        _remount(cell, f"size={begins_with + round(needed * share)}")
        job = cell.go_on() if _has_begun(cell) else cell.begin()
        codes.append(cell.ended(job))
        if cell.place.store.exists():
            cell.seen.lost += unsoundness(cell.place.store)
    cell.claim(f"on the full disk: {codes}", codes[0] in _REFUSED and set(codes) <= {0, *_REFUSED})
    _remount(cell, f"size={_ROOM}")
    cell.finish(cell.go_on() if _has_begun(cell) else cell.begin())


def read_only(cell: Cell) -> None:
    """Stop in the middle, try with a read-only file system, then make it writable again."""
    _mount(cell, _ROOM)
    job = cell.begin()
    cell.wait_for_middle(job, 0.5)
    cell.stop(job)
    _remount(cell, "ro")
    job = cell.go_on()
    code = cell.ended(job)
    cell.claim(f"on the read-only disk: exit code {code}", code in _REFUSED)
    _remount(cell, "rw")
    cell.finish(cell.go_on())


def deleted(cell: Cell) -> None:
    """Delete the result while it is written."""
    job = cell.begin()
    cell.wait_for_middle(job, 0.4)
    if cell.mode.name == "index":
        shutil.rmtree(_result(cell))
    else:
        _result(cell).unlink()
    _go_on_where_it_says(cell, job)


def moved(cell: Cell) -> None:
    """Rename the result while it is written."""
    job = cell.begin()
    cell.wait_for_middle(job, 0.4)
    _result(cell).rename(cell.place.folder / "elsewhere.db")
    _go_on_where_it_says(cell, job)


def replaced(cell: Cell) -> None:
    """Another store is moved to where the result is, or to where the store is that is read, at work."""
    other = Place(cell.folder / "other")
    other.folder.mkdir()
    shutil.copy(cell.store_of("hinterland"), other.store)
    job = cell.begin()
    cell.wait_for_middle(job, 0.4)
    replaced = cell.place.store
    other.store.rename(replaced)
    _go_on_where_it_says(cell, job)
    if cell.mode.name != "index":
        harm = compare_stores(cell.store_of("hinterland"), replaced)
        cell.seen.lost += [f"the other store was harmed: {each}" for each in harm]


def _go_on_where_it_says(cell: Cell, job: Job) -> None:
    """Check that it ends by itself and names the file that has everything fetched, and continue there."""
    code = cell.ended(job)
    cell.claim(f"it ended by itself, with {code}", code in _REFUSED)
    named = [Path(name) for name in _NAMED.findall(job.said.read_text(errors="replace"))]
    if cell.mode.name == "index":
        shutil.copy(cell.store_of("bfs"), cell.place.store)
        cell.finish(cell.begin())
        return
    kept = next((path for path in reversed(named) if path.exists()), None)
    if kept is None:
        raise Lost(f"no file that is there is named: {last_words(job)}")
    cell.claim(f"goes on with {kept.name}")
    cell.place = Place(kept.parent, kept.name)
    cell.finish(cell.go_on())


def _result(cell: Cell) -> Path:
    return default_folder(cell.place.store).path if cell.mode.name == "index" else cell.place.store


def _has_begun(cell: Cell) -> bool:
    """Whether there is a crawl to go on with: the disk may have been full before its first transaction."""
    if not cell.mode.is_crawl or not cell.place.store.exists():
        return False
    with closing(sqlite3.connect(cell.place.store)) as connection:
        try:
            return bool(connection.execute("SELECT count(*) FROM page").fetchone()[0])
        except sqlite3.Error:
            return False


def _mount(cell: Cell, size: int) -> None:
    """Let the place of the work be a file system of its own."""
    shutil.move(cell.place.folder, cell.folder / "before")
    cell.place.folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "faults", cell.place.folder], check=True)
    shutil.copytree(cell.folder / "before", cell.place.folder, dirs_exist_ok=True)


def _remount(cell: Cell, options: str) -> None:
    done = subprocess.run(
        ["mount", "-o", f"remount,{options}", cell.place.folder], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Lost(f"no remount: {done.stderr}")


_ENDS: Final = "it ends soon, says so and names the file that has all that was fetched, which --resume goes on with"
FAULTS: Final = (
    Fault(
        "disk full",
        "it ends with a code that says so; what was written is whole; with room, --resume goes on",
        disk_full,
        needs_root=True,
    ),
    Fault(
        "read-only",
        "it ends at once and says why; writable again, --resume goes on",
        read_only,
        needs_root=True,
    ),
    Fault("store deleted", _ENDS, deleted),
    Fault("store moved", _ENDS, moved),
    Fault("store replaced", f"{_ENDS}; the other store stays as it is", replaced),
)
