"""Copies a store that is being written into a folder that survives the loss of the machine."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from hinterland.storage.values.shards import ShardMark


def copy_store(store: Path, copy: Path) -> None:
    """Copy the committed contents of a store, replacing the previous copy atomically.

    Writers to the store do not wait. Raises sqlite3.Error and OSError; the previous copy is then unchanged.
    """
    near, new = store.with_name(f"{store.name}.copying"), copy.with_name(f"{copy.name}.new")
    try:
        near.unlink(missing_ok=True)
        with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(near)) as target:
            source.backup(target)
        shutil.copyfile(near, new)  # in one go: over a network, SQLite's small writes are slow and its locks unreliable
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        new.replace(copy)
    except OSError:
        with suppress(OSError):  # half a copy would keep a full disk full
            new.unlink(missing_ok=True)
        raise
    finally:
        near.unlink(missing_ok=True)


def take_copy(copy: Path, store: Path) -> None:
    """Replace the store at `store` by the copy; create the store if there is none.

    Raises OSError.
    """
    remove_store(store)
    new = store.with_name(f"{store.name}.new")
    shutil.copyfile(copy, new)
    new.replace(store)


def remove_store(store: Path) -> None:
    """Remove a store and the files that SQLite keeps beside it.

    Raises OSError.
    """
    for ending in ("", "-wal", "-shm"):
        store.with_name(store.name + ending).unlink(missing_ok=True)


def mark_of(store: Path) -> ShardMark | None:
    """Return the mark of a store: the name of its crawl, the number of its shard, and the epoch of its last owner.

    Returns None if there is no such file, or if the store has had no owner yet. Raises sqlite3.Error and OSError, so
    that an unreadable store is never mistaken for a missing one.
    """
    if store not in store.parent.iterdir():
        return None
    with closing(sqlite3.connect(f"{store.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'shard'").fetchone() is None:
            return None  # the store was still being created
        row = connection.execute('SELECT crawl, number, "of", epoch FROM shard').fetchone()
    return None if row is None else ShardMark(*row)
