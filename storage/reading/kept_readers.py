"""Keeps connections to a store open between questions: opening one takes longer than most questions.

A connection is reused only while the store is the same file in the same state. A store may be crawled, migrated by a
later version, replaced or deleted at any time; the next question notices it.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hinterland.storage.no_store import NoStore
from hinterland.storage.read_only import IMMUTABLE
from hinterland.storage.reading.opening import opened, require_current
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_name import name_with_log

_MOST_IDLE: Final = 4
_IDLE_SECONDS: Final = 30.0
"""A deleted store can take up disk space for this long."""

_File = tuple[int, int, int, int]
"""(device, inode, size in bytes, time of the last write in ns). A crawl changes it only when it merges its log."""


@dataclass(slots=True)
class _Kept:
    reader: StoreReader
    name: Path
    """The name by which the file was opened."""
    file: _File | None
    changes: int
    """SQLite's number for the changes that others have committed."""


class KeptReaders:
    """Open readers of one store, each used by one thread at a time. Thread-safe."""

    def __init__(self, path: Path, *, idle_seconds: float = _IDLE_SECONDS) -> None:
        """Start without opening the store; unused connections are closed after `idle_seconds`."""
        self._path = path
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._idle: list[_Kept] = []
        self._used_at = 0.0
        self._closing: threading.Timer | None = None

    @contextmanager
    def reading(self) -> Iterator[StoreReader]:
        """Yield a reader for the with block; at its end, the reader's progress handler is removed.

        Raises NoStore, as `reading` of `opening` does.
        """
        kept = self._taken()
        try:
            yield kept.reader
            kept.reader.connection.set_progress_handler(None, 0)
        except BaseException as error:
            kept.reader.connection.close()
            if isinstance(error, sqlite3.Error):
                raise NoStore(f"{self._path} cannot be read: {error}") from error
            raise
        self._give_back(kept)

    def close(self) -> None:
        """Close the connections that are not in use. A later question opens a new connection."""
        with self._lock:
            idle, self._idle = self._idle, []
            if self._closing is not None:
                self._closing.cancel()
                self._closing = None
        for kept in idle:
            kept.reader.connection.close()

    def _taken(self) -> _Kept:
        name, file = name_with_log(self._path), _file(self._path)
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        if kept is not None:
            if file is not None and (kept.name, kept.file) == (name, file):
                with suppress(sqlite3.Error, NoStore):  # whatever is wrong is said when it is opened
                    if (changes := _changes(kept.reader.connection)) != kept.changes:
                        require_current(self._path, kept.reader.connection)
                        kept.changes = changes
                    return kept
            kept.reader.connection.close()
            self.close()
        reader = opened(self._path, by_any_thread=True)
        return _Kept(reader, name, file, _changes(reader.connection))

    def _give_back(self, kept: _Kept) -> None:
        if kept.reader.connection.in_transaction or IMMUTABLE in kept.reader.uri:
            kept.reader.connection.close()
            return
        with self._lock:
            is_kept = len(self._idle) < _MOST_IDLE
            if is_kept:
                self._idle.append(kept)
            self._used_at = time.monotonic()
            if self._closing is None:
                self._close_later(self._idle_seconds)
        if not is_kept:
            kept.reader.connection.close()

    def _close_later(self, seconds: float) -> None:
        self._closing = threading.Timer(seconds, self._close_unused)
        self._closing.daemon = True
        self._closing.start()

    def _close_unused(self) -> None:
        with self._lock:
            left = self._used_at + self._idle_seconds - time.monotonic()
            if left > 0:
                self._close_later(left)
                return
        self.close()


def _file(path: Path) -> _File | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _changes(connection: sqlite3.Connection) -> int:
    [(changes,)] = connection.execute("PRAGMA data_version")
    return int(changes)
