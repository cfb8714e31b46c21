"""Opens a store for reading while another process may write it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from hinterland.storage.migrations import SchemaTooNew, pending_migrations
from hinterland.storage.no_store import NoStore
from hinterland.storage.read_only import opened_to_read
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_name import name_with_log
from hinterland.storage.values.shards import SHARDS_SUFFIX

_PATIENCE_SECONDS = 5.0


@contextmanager
def reading(path: Path) -> Iterator[StoreReader]:
    """Open a store for reading.

    Raises NoStore, also if the file turns out to be damaged inside the block.
    """
    try:
        reader = opened(path)
        with closing(reader.connection):
            yield reader
    except sqlite3.Error as error:
        raise NoStore(f"{path} cannot be read: {error}") from error


def opened(path: Path, *, by_any_thread: bool = False) -> StoreReader:
    """Return a reader of a store; the caller closes its connection.

    With `by_any_thread`, any thread may use the reader, one thread at a time. Raises NoStore.
    """
    uri, connection = _connected(path, by_any_thread)
    try:
        require_current(path, connection)
    except sqlite3.Error as error:
        connection.close()
        raise NoStore(f"{path} cannot be read: {error}") from error
    except BaseException:
        connection.close()
        raise
    return StoreReader(path, connection, uri)


def _connected(path: Path, by_any_thread: bool) -> tuple[str, sqlite3.Connection]:
    if not path.exists():
        if (shards := path.with_name(path.name + SHARDS_SUFFIX)).is_dir():
            raise NoStore(f"{path} does not exist yet: the shards of its crawl, in {shards}, are joined when it ends")
        raise NoStore(f"there is no store at {path}; a crawl creates one")
    if not path.is_file():
        raise NoStore(f"{path} is not a file")
    try:
        return opened_to_read(name_with_log(path), partial(_open, by_any_thread=by_any_thread))
    except sqlite3.OperationalError as error:
        raise NoStore(f"{path} cannot be read: {error}") from error
    except sqlite3.DatabaseError as error:
        raise NoStore(f"{path} is not a link store: {error}") from error


def _open(uri: str, *, by_any_thread: bool) -> sqlite3.Connection:
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=_PATIENCE_SECONDS, check_same_thread=not by_any_thread
    )


def require_current(path: Path, connection: sqlite3.Connection) -> None:
    """Bring the tables of a store up to date. Raises NoStore if this version cannot read the file as a store."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        raise NoStore(f"{path} is empty: no crawl has begun there")
    if "migration" not in tables:
        raise NoStore(f"{path} is an SQLite database, but not a link store")
    applied = {name for (name,) in connection.execute("SELECT name FROM migration")}
    try:
        missing = pending_migrations(applied)
    except SchemaTooNew as error:
        raise NoStore(f"{path}: {error}") from error
    if missing:
        _bring_up_to_date(path)


def _bring_up_to_date(path: Path) -> None:
    from hinterland.storage.migrating import (  # rarely needed, and importing it takes as long as most answers
        NotMigrated,
        bring_up_to_date,
    )

    try:
        bring_up_to_date(path)
    except NotMigrated as error:
        why = f"was written by an earlier version and cannot be brought up to date: {error}"
        raise NoStore(f"{path} {why}") from error
