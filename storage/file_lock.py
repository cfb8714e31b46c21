"""A lock on the file of a store itself, whatever names it has: symbolic and hard links, bind mounts.

It is a lock of the open file description, on bytes far beyond the end of any store, where SQLite locks nothing. It is
taken on a descriptor that SQLite has opened: closing one of our own would drop the locks that SQLite holds on the file.
Its length is the number of the process that holds it, which is how others learn that number. The system releases it
when that descriptor is closed, also after kill -9.
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
"""struct flock of Linux: kind, whence, start, length, process."""
_NOT_HERE: Final = frozenset({errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP})
"""What systems and file systems without such locks answer."""


class FileHeld(Exception):
    """Another process holds the lock. process: its number."""

    def __init__(self, process: int) -> None:
        super().__init__(f"it is held by process {process}")
        self.process = process


class FileLock:
    """Mutable: hold it with `acquire` once SQLite has opened the file, and release it once SQLite has closed it.

    Where the system has no such locks it holds nothing, and the lock by name (StoreLock) has to do.
    """

    def __init__(self) -> None:
        self._descriptor: int | None = None
        self._file: os.stat_result

    def acquire(self, path: Path) -> None:
        """Take the lock, on a descriptor of SQLite's. Raises FileHeld and OSError."""
        descriptors = descriptors_of(path)
        if not hasattr(fcntl, "F_OFD_SETLK"):
            return
        for descriptor in descriptors:  # one that another store of this process holds does not see its own lock
            if (process := _holder(descriptor)) is not None:
                raise FileHeld(process)
        writable = [each for each in descriptors if fcntl.fcntl(each, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR]
        if not writable:
            return
        # SQLite closes none of them as long as this process has a lock on the file, so each is as good as another.
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
        """Unlock the descriptor if SQLite keeps it open for other connections of this process."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        with suppress(OSError):  # it is closed, as usual
            if os.path.samestat(os.fstat(descriptor), self._file):
                fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock(fcntl.F_UNLCK, 0))


def file_holder(path: Path) -> int | None:
    """The number of the process that holds the lock on a file; None if none does, or nobody can tell."""
    if not hasattr(fcntl, "F_OFD_GETLK"):
        return None
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)):
        holders = map(_holder, descriptors_of(path))
        return next((process for process in holders if process is not None), None)
    return None


def _holder(descriptor: int) -> int | None:
    try:
        found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _lock(fcntl.F_WRLCK, 0))
    except OSError:
        return None
    kind, _, _, length, _ = struct.unpack(_FLOCK, found)
    return None if kind == fcntl.F_UNLCK else int(length)


def _lock(kind: int, length: int) -> bytes:
    """length: of the lock in bytes, as many as the number of its process; 0 for all there are."""
    return struct.pack(_FLOCK, kind, os.SEEK_SET, _START, length, 0)
