"""One crawler per store: an advisory lock beside the file, released by the system even after kill -9."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class StoreInUse(Exception):
    """Another crawler holds the store."""


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
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(handle, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(handle)
            store = self._path.with_suffix("")
            raise StoreInUse(
                f"{store} is in use by another crawl (process {holder}); wait for it, stop it, or choose"
                " another --store"
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        self._handle = handle

    def release(self) -> None:
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None
