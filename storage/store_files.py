"""Finds out whether the files of an open store are still in place, and where they are if not.

SQLite keeps writing to a file that was deleted, renamed or replaced, and what it writes is lost when it closes the
file. A deleted file vanishes. A renamed file is separated from its log, because SQLite looks for the log by the file's
name.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

_PARTS: Final = ("", "-wal", "-shm")
"""Suffixes of the file names: the database, its log, and the index of its log."""
_DESCRIPTORS: Final = "/dev/fd"
_DELETED: Final = " (deleted)"
"""Linux appends this to the path of a descriptor whose name is gone."""
_FEW: Final = 1024


class StoreGone(sqlite3.OperationalError):
    """The files of an open store were deleted, moved or replaced; the message says which.

    `now_at` is the file that holds everything written; None if there is no such file, or if nobody searched for it.
    """

    def __init__(self, message: str, now_at: Path | None = None) -> None:
        """Take the message, and the file that holds everything written."""
        super().__init__(message)
        self.now_at = now_at


@contextmanager
def in_place(path: Path, doing: str) -> Iterator[None]:
    """Raise StoreGone if the file or folder is deleted or replaced inside the with block.

    StoreGone replaces any other exception of the block. `doing` completes the message "while it was being ...", for
    example "read".
    """
    opened = file_of(path)
    try:
        yield
    except Exception:
        require_same(path, opened, doing)
        raise
    require_same(path, opened, doing)


def require_same(path: Path, opened: os.stat_result | None, doing: str) -> None:
    """Raise StoreGone unless the file or folder at `path` is still the one that `file_of` returned as `opened`.

    `doing` is as in `in_place`.
    """
    there = file_of(path)
    if opened is None or there is None:
        raise StoreGone(f"{path} {FileEvent.DELETED} or moved while it was being {doing}")
    if not os.path.samestat(opened, there):
        raise StoreGone(f"{path} was replaced while it was being {doing}", path)


def file_of(path: Path) -> os.stat_result | None:
    """Return the identity of the file or folder at `path`; None if there is none."""
    try:
        return path.stat()
    except OSError:
        return None


def descriptors_of(path: Path) -> set[int]:
    """Return the descriptors that this process has open on the file."""
    there = file_of(path)
    if there is None:
        return set()
    return {descriptor for descriptor, found in _open_files() if os.path.samestat(there, found)}


class FileEvent(StrEnum):
    """What happened to a file of the store."""

    DELETED = "was deleted"
    REPLACED = "was replaced by another file"
    MOVED = "was moved"


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happened to a file of an open store.

    `name` is the file's name, and `is_log` tells whether it is the write-ahead log. `now_at` is where the file is now;
    None if it is deleted or its place is unknown.
    """

    name: str
    event: FileEvent
    now_at: Path | None
    is_log: bool

    def __str__(self) -> str:
        """Return what happened, as part of a message."""
        place = "" if self.now_at is None else f" to {self.now_at}"
        return f"{self.name} {self.event}{place}"


class StoreFiles:
    """Watches the files of a store that this process has open; valid until the store is closed."""

    def __init__(self, path: Path) -> None:
        """Find the descriptors of the open files of the store.

        Create it once the file and its log have been opened. Files without a descriptor in this process are not
        watched.
        """
        self._path = path
        file = os.path.realpath(path)  # the log lies beside the target of a symbolic link
        self._parts = [(path if not part else Path(file + part), part) for part in _PARTS]
        open_files = list(_open_files())
        self._descriptors: dict[str, int] = {}
        for name, part in self._parts:
            try:
                there = name.stat()
            except OSError:
                continue
            for descriptor, found in open_files:
                if os.path.samestat(there, found):
                    self._descriptors.setdefault(part, descriptor)

    def check(self) -> None:
        """Raise StoreGone if a file is no longer in place.

        Takes some microseconds.
        """
        change = self.change()
        if change is not None:
            raise StoreGone(f"{change} while it was being written")

    def change(self) -> FileChange | None:
        """Return what happened to the files since they were opened; None if nothing did."""
        for name, part in self._parts:
            if part not in self._descriptors:
                continue
            descriptor = self._descriptors[part]
            ours = os.fstat(descriptor)
            try:
                there = name.stat()
            except (FileNotFoundError, NotADirectoryError):
                event = FileEvent.MOVED if ours.st_nlink else FileEvent.DELETED
            except OSError:
                continue  # unknown; SQLite will report what it cannot do
            else:
                if os.path.samestat(there, ours):
                    continue
                event = FileEvent.REPLACED
            now_at = self._name_of(descriptor, ours) if ours.st_nlink else None
            return FileChange(str(_shortest(name)), FileEvent.MOVED if now_at else event, now_at, is_log=bool(part))
        return None

    def _name_of(self, descriptor: int, ours: os.stat_result) -> Path | None:
        """Return the path that a moved file has now; None if it cannot be found.

        `ours` is the file's identity, and `descriptor` an open descriptor of the file.
        """
        try:
            link = Path(_DESCRIPTORS, str(descriptor)).readlink()
        except OSError:
            link = Path()
        candidates = [] if not link.is_absolute() or link.name.endswith(_DELETED) else [link]
        if self._path.parent.is_dir():
            candidates += self._path.parent.iterdir()
        for candidate in candidates:
            try:
                if os.path.samestat(candidate.stat(), ours):
                    return _shortest(candidate)
            except OSError:
                continue
        return None


def _open_files() -> Iterator[tuple[int, os.stat_result]]:
    """Yield the descriptors of this process with their files, in ascending order."""
    try:
        descriptors = sorted(int(each.name) for each in Path(_DESCRIPTORS).iterdir())
    except OSError:  # a root folder without /dev
        descriptors = list(range(_FEW))
    for descriptor in descriptors:
        try:
            yield descriptor, os.fstat(descriptor)
        except OSError:
            continue  # such as the descriptor of the listing itself


def _shortest(path: Path) -> Path:
    """Return the path relative to the working directory if it lies inside, else unchanged."""
    try:
        return path.relative_to(Path.cwd())
    except (ValueError, OSError):
        return path
