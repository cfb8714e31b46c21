"""Copies of a store that is being written, to a folder where they survive its machine."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from hinterland.storage.values.shards import ShardMark


def copy_store(store: Path, copy: Path) -> None:
    """Make a copy of what is committed now; it takes the place of the one that is there, whole or not at all. Whoever
    writes to the store does not wait. Raises sqlite3.Error and OSError; then the old copy is as it was.
    """
    near, new = store.with_name(f"{store.name}.copying"), copy.with_name(f"{copy.name}.new")
    try:
        near.unlink(missing_ok=True)
        with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(near)) as target:
            source.backup(target)
        shutil.copyfile(near, new)  # in one go: SQLite's small writes are slow, and its locks unsure, over a network
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        new.replace(copy)
    except OSError:
        with suppress(OSError):  # on a disk that is full, half a copy would keep it so
            new.unlink(missing_ok=True)
        raise
    finally:
        near.unlink(missing_ok=True)


def take_copy(copy: Path, store: Path) -> None:
    """Go on with a copy, in place of whatever is there. Raises OSError."""
    remove_store(store)
    new = store.with_name(f"{store.name}.new")
    shutil.copyfile(copy, new)
    new.replace(store)


def remove_store(store: Path) -> None:
    """With all that SQLite has beside it. Raises OSError."""
    for ending in ("", "-wal", "-shm"):
        store.with_name(store.name + ending).unlink(missing_ok=True)


def mark_of(store: Path) -> ShardMark | None:
    """Which part of a crawl a store is, and who owned it last; None if there is no such file in its folder, or nobody
    has owned it yet. Raises sqlite3.Error and OSError: what cannot be read is not taken for nothing.
    """
    if store not in store.parent.iterdir():
        return None
    with closing(sqlite3.connect(f"{store.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'shard'").fetchone() is None:
            return None  # it was about to be made
        row = connection.execute('SELECT crawl, number, "of", epoch FROM shard').fetchone()
    return None if row is None else ShardMark(*row)
