"""Decides which process may write to a store that is a shard of a crawl: the owner with the highest epoch."""

from __future__ import annotations

import sqlite3
from dataclasses import astuple
from pathlib import Path

from hinterland.storage.store_connections import StoreError
from hinterland.storage.values.shards import ShardMark

_OWN = "UPDATE shard SET epoch = ?"


class Fenced(Exception):
    """Another process has taken over this shard; nothing was written."""


class ShardFence:
    """Keeps former owners of a shard from writing.

    A store that was never claimed is not a shard, so every process may write to it.
    """

    def __init__(self, path: Path) -> None:
        """Take the path of the store, which is used in messages."""
        self._path = path
        self._mark: ShardMark | None = None

    def claim(self, connection: sqlite3.Connection, mark: ShardMark) -> None:
        """Make this process the owner of the store as a shard, inside the caller's transaction.

        It stays the owner until a process with a higher epoch claims the store. Raises StoreError if the store is
        another shard or belongs to another crawl, and Fenced if it has an owner with a higher epoch.
        """
        row = connection.execute('SELECT crawl, number, "of", epoch FROM shard').fetchone()
        if row is None:
            self._begin(connection, mark)
        else:
            self._require_same(ShardMark(*row), mark)
            connection.execute(_OWN, (mark.epoch,))

    def claimed(self, mark: ShardMark) -> None:
        """Record that the claim `mark` is committed; from now on, `check` compares the store with it."""
        self._mark = mark

    def check(self, connection: sqlite3.Connection) -> None:
        """Raise Fenced if the store has a new owner."""
        if self._mark is None:
            return
        [(epoch,)] = connection.execute("SELECT epoch FROM shard")
        if epoch != self._mark.epoch:
            raise Fenced(
                f"{self._path} has been taken over by another process: its epoch is {epoch}, not {self._mark.epoch}"
            )

    def _begin(self, connection: sqlite3.Connection, mark: ShardMark) -> None:
        if connection.execute("SELECT 1 FROM run").fetchone() is not None:
            raise StoreError(f"{self._path} holds a whole crawl, not a shard of one; choose another --store")
        connection.execute('INSERT INTO shard (id, crawl, number, "of", epoch) VALUES (1, ?, ?, ?, ?)', astuple(mark))

    def _require_same(self, found: ShardMark, mark: ShardMark) -> None:
        if found.crawl != mark.crawl:
            raise StoreError(
                f"{self._path} and the other files in its folder belong to different crawls; move it back to the"
                " folder of its crawl"
            )
        if (found.number, found.of) != (mark.number, mark.of):
            raise StoreError(
                f"{self._path} is shard {found.number + 1} of {found.of}, not shard {mark.number + 1} of {mark.of};"
                " give the files in its folder their original names"
            )
        if found.epoch > mark.epoch:
            raise Fenced(f"{self._path} has been taken over by a later process")
