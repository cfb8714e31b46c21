"""Migrates a store of an earlier version for commands that only read it."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hinterland.storage.file_lock import FileHeld, FileLock
from hinterland.storage.lock import StoreInUse, StoreLock
from hinterland.storage.migrations import pending_migrations
from hinterland.storage.sorted_links.sorting import sort_all
from hinterland.storage.store_name import name_with_log
from hinterland.storage.write_settings import WRITE_SETTINGS

_LOG = logging.getLogger(__name__)
_ONE_AT_A_TIME = threading.Lock()
_PATIENCE_SECONDS = 30.0


class NotMigrated(Exception):
    """The store could not be migrated and is unchanged; the message says why."""


def bring_up_to_date(path: Path) -> None:
    """Apply the pending migrations of a store, each in one transaction, unless another process holds it.

    Takes about 50 s of CPU per million pages, and logs that it runs. Raises NotMigrated.
    """
    lock = StoreLock(path)
    with _ONE_AT_A_TIME:
        try:
            lock.acquire()
        except (StoreInUse, OSError) as error:
            raise NotMigrated(str(error)) from error
        try:
            with _held(path) as connection:
                scripts = pending_migrations({name for (name,) in connection.execute("SELECT name FROM migration")})
                if scripts:
                    _LOG.warning("%s was written by an earlier version; bringing it up to date, once ...", path)
                for script in scripts:
                    connection.executescript(script)
                if scripts:
                    sort_all(connection)
        except (FileHeld, OSError, sqlite3.Error) as error:
            raise NotMigrated(str(error)) from error
        finally:
            lock.release()


@contextmanager
def _held(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a store, and keep other processes from writing to the store inside the with block.

    Raises FileHeld, OSError and sqlite3.Error.
    """
    name, file_lock = name_with_log(path), FileLock()
    try:
        with closing(sqlite3.connect(name, isolation_level=None, timeout=_PATIENCE_SECONDS)) as connection:
            file_lock.acquire(name)
            for setting in WRITE_SETTINGS:
                connection.execute(setting)
            yield connection
    finally:
        file_lock.release()
