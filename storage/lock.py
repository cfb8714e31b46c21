"""One crawler per store: an advisory lock beside the file, released by the system even after kill -9."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Final

_TRIES: Final = 20
_BETWEEN_TRIES_SECONDS: Final = 0.01
"""Whoever only looks has the lock for some microseconds."""


class StoreInUse(Exception):
    """Another crawler holds the store. holder: which, in words."""

    def __init__(self, store: Path, holder: str) -> None:
        super().__init__(
            f"{store} is in use by another crawl ({holder}); wait for it, stop it, or choose another --store"
        )
        self.holder = holder


class StoreLock:
    """Holds FILE.lock while it is open.

    The database file itself is not used for this: closing any second handle on it would drop the locks that
    SQLite holds there. The lock file stays behind, empty of meaning, because removing it would be a race.
    """

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(store.name + ".lock")
        self._handle: int | None = None

    def acquire(self) -> None:
        """Raises StoreInUse, naming the process that holds the store."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(handle)
        except BlockingIOError:
            holder = os.read(handle, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(handle)
            raise StoreInUse(self._path.with_suffix(""), f"process {holder}") from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        self._handle = handle

    def keep(self) -> None:
        """Take the lock again if its file was deleted or replaced.

        Raises StoreInUse if somebody else has taken it, and OSError.
        """
        if self._handle is None:
            return
        held = self._handle
        try:
            if os.path.samestat(self._path.stat(), os.fstat(held)):
                return
            self.acquire()
        except FileNotFoundError:
            self.acquire()
        os.close(held)

    def release(self) -> None:
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None


def holder_of(store: Path) -> int | None:
    """The process that holds the store, None if none does; 0 if it has not said which it is.

    The lock itself is asked, not the number in its file: that of a process that was killed may be that of another by
    now, and a process of another container has a number that means nothing here.
    """
    try:
        handle = os.open(store.with_name(store.name + ".lock"), os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        number = os.pread(handle, 32, 0).strip()
        return int(number) if number.isdigit() else 0
    except OSError:
        return None
    finally:
        os.close(handle)
    return None


def _lock(handle: int) -> None:
    """Raises BlockingIOError if somebody keeps it."""
    for _ in range(_TRIES - 1):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_BETWEEN_TRIES_SECONDS)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
