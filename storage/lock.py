"""Ensures one crawler per store by an advisory lock beside the file, which the system releases even after kill -9.

The lock file lies beside the store itself, where symbolic links lead. So all names that are symbolic links to one store
share one lock. `file_lock` locks the file itself.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Final

from hinterland.storage.file_lock import file_holder
from hinterland.storage.store_name import name_with_log

_TRIES: Final = 20
_BETWEEN_TRIES_SECONDS: Final = 0.01
"""A process that only checks the lock holds it for some microseconds."""


class StoreInUse(Exception):
    """Another crawler holds the store; `holder` describes it."""

    def __init__(self, store: Path, holder: str) -> None:
        """Take the path of the store, and a description of the process that holds it."""
        super().__init__(
            f"{store} is in use by another crawl ({holder}); wait for it, stop it, or choose another --store"
        )
        self.holder = holder


class StoreLock:
    """The lock on FILE.lock while the store is open; FILE is the name that `name_with_log` returns.

    The database file itself is not locked here, because closing another handle of it would drop the locks that SQLite
    holds on it. The lock file is never removed, because another process may be opening it at that moment.
    """

    def __init__(self, store: Path) -> None:
        """Start without the lock."""
        self._store = store
        self._name = name_with_log(store)
        self._path = _lock_of(self._name)
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock.

        Raises StoreInUse, naming the process that holds the store, and OSError.
        """
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(handle)
        except BlockingIOError:
            holder = os.read(handle, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(handle)
            alias = "" if self._name == self._store.absolute() else f", as {self._name}"
            raise StoreInUse(self._store, f"process {holder}{alias}") from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        self._handle = handle

    def keep(self) -> None:
        """Take the lock again if its file was deleted or replaced.

        Raises StoreInUse if another crawler has taken it, and OSError.
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
        """Release the lock if it is held."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None


def holder_of(store: Path) -> int | None:
    """Return the id of the process that holds the store; None if it is free, 0 if the holder's id is not written yet.

    The lock itself is checked, not only the id in its file. The id of a killed process may belong to another process by
    now, and ids from another container mean nothing here.
    """
    name = name_with_log(store)
    holder = _holder_by_name(name)
    return file_holder(name) if holder is None else holder


def _holder_by_name(name: Path) -> int | None:
    """Return what `holder_of` returns, from the lock file alone."""
    try:
        handle = os.open(_lock_of(name), os.O_RDONLY)
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


def _lock_of(name: Path) -> Path:
    return name.with_name(name.name + ".lock")


def _lock(handle: int) -> None:
    """Lock the file.

    Raises BlockingIOError if another process keeps it locked.
    """
    for _ in range(_TRIES - 1):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(_BETWEEN_TRIES_SECONDS)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
