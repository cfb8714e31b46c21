"""A lock on the file of a store itself, which holds under all its names (symbolic and hard links, bind mounts).

It is an open file description lock on bytes far beyond the end of any store, where SQLite locks nothing. It is taken on
a descriptor that SQLite has opened: closing a further descriptor would drop the locks that SQLite holds on the file.
The length of the lock is the process id of its holder, which is how other processes learn that id. The system releases
the lock when the descriptor is closed, also after kill -9.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import struct
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from hinterland.storage.store_files import descriptors_of

_START: Final = 1 << 62
_FLOCK: Final = "hhqqi0q"
"""The struct flock of Linux: type, whence, start, length, process id."""
_NOT_HERE: Final = frozenset({errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP})
"""The errors of systems and file systems without such locks."""


class FileHeld(Exception):
    """Another process holds the lock; `process` is its id."""

    def __init__(self, process: int) -> None:
        """Take the id of the process that holds the lock."""
        super().__init__(f"it is held by process {process}")
        self.process = process


class FileLock:
    """The lock on the file of a store. Mutable.

    Call `acquire` once SQLite has opened the file, and `release` once SQLite has closed it. On a system without such
    locks, this lock does nothing, and only the lock by name (StoreLock) protects the store.
    """

    def __init__(self) -> None:
        """Start without the lock."""
        self._descriptor: int | None = None
        self._file: os.stat_result

    def acquire(self, path: Path) -> None:
        """Take the lock on one of SQLite's descriptors.

        Raises FileHeld and OSError.
        """
        descriptors = descriptors_of(path)
        if not hasattr(fcntl, "F_OFD_SETLK"):
            return
        for descriptor in descriptors:  # a descriptor of another store in this process does not see its own lock
            if (process := _holder(descriptor)) is not None:
                raise FileHeld(process)
        writable = [each for each in descriptors if fcntl.fcntl(each, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR]
        if not writable:
            return
        # SQLite closes none of them while this process holds a lock on the file, so any of them will do.
        descriptor = min(writable)
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock(fcntl.F_WRLCK, os.getpid()))
        except OSError as error:
            if error.errno in _NOT_HERE:
                return
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise FileHeld(_holder(descriptor) or 0) from None
            raise
        self._descriptor, self._file = descriptor, os.fstat(descriptor)

    def release(self) -> None:
        """Release the lock, in case SQLite keeps the descriptor open for other connections of this process."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        with suppress(OSError):  # usually it is closed
            if os.path.samestat(os.fstat(descriptor), self._file):
                fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock(fcntl.F_UNLCK, 0))


def file_holder(path: Path) -> int | None:
    """Return the id of the process that holds the lock on a file.

    Returns None if no process does, or if that cannot be determined.
    """
    if not hasattr(fcntl, "F_OFD_GETLK"):
        return None
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)):
        holders = map(_holder, descriptors_of(path))
        return next((process for process in holders if process is not None), None)
    return None


def _holder(descriptor: int) -> int | None:
    """Return the id of the process that holds the lock on an open file; None if no process does."""
    try:
        found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _lock(fcntl.F_WRLCK, 0))
    except OSError:
        return None
    kind, _, _, length, _ = struct.unpack(_FLOCK, found)
    return None if kind == fcntl.F_UNLCK else int(length)


def _lock(kind: int, length: int) -> bytes:
    """Return the struct that describes a lock of `length` bytes; 0 means up to the end of the file.

    The length is the process id of the holder.
    """
    return struct.pack(_FLOCK, kind, os.SEEK_SET, _START, length, 0)
