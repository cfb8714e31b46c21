"""Whether the files of an open store are still those that were opened, and where they are if not.

SQLite keeps writing to a file that was deleted, renamed or replaced, and what it writes is gone when it closes it: a
deleted file vanishes, and a renamed one is parted from its log, which SQLite finds by the name the file had.
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
"""Endings of the names: the file, its log, and the index of its log."""
_DESCRIPTORS: Final = "/dev/fd"
_DELETED: Final = " (deleted)"
"""Linux ends the path of a descriptor with that when its name is gone."""
_FEW: Final = 1024


class StoreGone(sqlite3.OperationalError):
    """The store that was opened is no longer where it was; the message says what became of it.

    now_at: the file that holds all that was written; None if there is none, or nobody has looked yet.
    """

    def __init__(self, message: str, now_at: Path | None = None) -> None:
        super().__init__(message)
        self.now_at = now_at


@contextmanager
def in_place(path: Path, doing: str) -> Iterator[None]:
    """Raises StoreGone if the file or folder is deleted or replaced before the block ends, whatever else fails of it.

    doing: what is done with it, such as "read".
    """
    opened = file_of(path)
    try:
        yield
    except Exception:
        require_same(path, opened, doing)
        raise
    require_same(path, opened, doing)


def require_same(path: Path, opened: os.stat_result | None, doing: str) -> None:
    """Raises StoreGone if the file or folder there is not the one that `opened` is of, as `file_of` told it."""
    there = file_of(path)
    if opened is None or there is None:
        raise StoreGone(f"{path} {FileEvent.DELETED} or moved while it was being {doing}")
    if not os.path.samestat(opened, there):
        raise StoreGone(f"{path} was replaced while it was being {doing}", path)


def file_of(path: Path) -> os.stat_result | None:
    """Which file or folder is there now; None if there is none."""
    try:
        return path.stat()
    except OSError:
        return None


def descriptors_of(path: Path) -> set[int]:
    """The descriptors that this process has of the file there."""
    there = file_of(path)
    if there is None:
        return set()
    return {descriptor for descriptor, found in _open_files() if os.path.samestat(there, found)}


class FileEvent(StrEnum):
    DELETED = "was deleted"
    REPLACED = "was replaced by another file"
    MOVED = "was moved"


@dataclass(frozen=True, slots=True)
class FileChange:
    """name: of the file that it befell. now_at: where that file is now; None if it is nowhere, or nobody can tell."""

    name: str
    event: FileEvent
    now_at: Path | None
    is_log: bool

    def __str__(self) -> str:
        place = "" if self.now_at is None else f" to {self.now_at}"
        return f"{self.name} {self.event}{place}"


class StoreFiles:
    """Of a store that this process has open: good until it is closed."""

    def __init__(self, path: Path) -> None:
        """To be made once the file has been opened, its log included. What is not found among the descriptors of this
        process is not watched.
        """
        self._path = path
        file = os.path.realpath(path)  # the log lies beside what a symbolic link leads to
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
        """Raises StoreGone. Takes some microseconds."""
        change = self.change()
        if change is not None:
            raise StoreGone(f"{change} while it was being written")

    def change(self) -> FileChange | None:
        """What happened to the files since they were opened; None if nothing did."""
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
                continue  # nobody can tell; SQLite will say what it cannot do
            else:
                if os.path.samestat(there, ours):
                    continue
                event = FileEvent.REPLACED
            now_at = self._name_of(descriptor, ours) if ours.st_nlink else None
            return FileChange(str(_shortest(name)), FileEvent.MOVED if now_at else event, now_at, is_log=bool(part))
        return None

    def _name_of(self, descriptor: int, ours: os.stat_result) -> Path | None:
        """Where a file that still has a name is; None if that cannot be found out."""
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
    """The descriptors of this process, the lowest first."""
    try:
        descriptors = sorted(int(each.name) for each in Path(_DESCRIPTORS).iterdir())
    except OSError:  # a root folder without /dev
        descriptors = list(range(_FEW))
    for descriptor in descriptors:
        try:
            yield descriptor, os.fstat(descriptor)
        except OSError:
            continue  # that of the listing itself, for one


def _shortest(path: Path) -> Path:
    """As a person in the working directory would write it."""
    try:
        return path.relative_to(Path.cwd())
    except (ValueError, OSError):
        return path
