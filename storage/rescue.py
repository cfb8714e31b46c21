"""Saves the contents of a store whose files were deleted, moved or replaced while it was open."""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from hinterland.storage.store_files import FileChange, FileEvent, StoreGone

_LOG = logging.getLogger(__name__)
_MOST_NAMES: Final = 1000
_PATIENCE_MILLISECONDS: Final = 5_000
"""How long to wait for readers."""


def rescued(connection: sqlite3.Connection, store: Path, change: FileChange) -> StoreGone:
    """Ensure that everything committed is in a file that has a name, and return an error that names this file.

    `connection` still has the deleted or moved files open, outside of a transaction. If the file was moved, its log is
    merged into it. If the file was deleted, it is copied to its old folder or to another folder with enough space. A
    file without fetched pages is not copied.
    """
    happened = f"{change} while it was being written"
    if change.is_log and _is_complete(connection):
        return StoreGone(f"{happened}; all that was fetched is in {store}", store)
    if change.event is FileEvent.MOVED and change.now_at is not None and _is_complete(connection):
        return StoreGone(f"{happened}; all that was fetched is in that file", change.now_at)
    if _is_empty(connection):
        return StoreGone(happened)
    failure: Exception | None = None
    for copy in _places(store):
        _LOG.warning("%s; all that was fetched is being saved in %s", happened, copy)
        try:
            _copy(connection, copy)
        except (OSError, sqlite3.Error) as error:
            failure = failure or error
            continue
        _is_complete(connection)  # so that no log remains that another file would take for its own
        return StoreGone(f"{happened}; all that was fetched is saved in {copy}", copy)
    return StoreGone(f"{happened}, and what it held could not be saved: {failure}")


def remove_log_without_store(store: Path) -> None:
    """Remove the log of a store whose file is gone.

    Call this after everything is saved. Otherwise SQLite would apply the old log to a new file of the same name.
    """
    if not store.exists():
        for ending in ("-wal", "-shm"):
            store.with_name(store.name + ending).unlink(missing_ok=True)


def _is_empty(connection: sqlite3.Connection) -> bool:
    """Return whether nothing was fetched yet, so that nothing has to be saved."""
    return connection.execute("SELECT 1 FROM page LIMIT 1").fetchone() is None


def _is_complete(connection: sqlite3.Connection) -> bool:
    """Merge the log into the file, and return whether all of it was merged."""
    try:
        connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MILLISECONDS}")
        _, in_log, brought = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.Error:
        return False
    return bool(in_log == brought)


def _places(store: Path) -> Iterator[Path]:
    """Yield unused file names for a copy: in the store's folder, the working directory and the temporary folder."""
    for folder in dict.fromkeys((store.parent, Path(), Path(tempfile.gettempdir()))):
        for place in range(1, _MOST_NAMES):
            name = f"{store.stem}.rescued{'' if place == 1 else f'-{place}'}{store.suffix}"
            if not (folder / name).exists():
                yield folder / name
                break


def _copy(connection: sqlite3.Connection, copy: Path) -> None:
    """Copy the store into the file `copy`, which has a temporary name until it is complete."""
    part = copy.with_name(f".{copy.name}.{os.getpid()}.part")
    try:
        with closing(sqlite3.connect(part, isolation_level=None)) as target:
            connection.backup(target)
        part.rename(copy)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
