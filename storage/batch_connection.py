"""An aiosqlite connection that runs a whole transaction in one trip to its thread."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from hinterland.storage.aiosqlite_parts import check_aiosqlite

T = TypeVar("T")

Statement = tuple[str, Iterable[Sequence[Any]]]
"""SQL, and the rows of parameters to run it with."""


class BatchConnection(aiosqlite.Connection):
    """Autocommit, except in `run_transaction`.

    Awaiting each statement of a batch by itself hands the work to and fro between two threads some ten
    times; and a cancelled await would leave a transaction half run.
    """

    @classmethod
    def of(cls, path: Path) -> BatchConnection:
        return cls(partial(sqlite3.connect, path, isolation_level=None), iter_chunk_size=10_000)

    async def open(self) -> None:
        """Raises sqlite3.Error if there is nothing to open, MissingPackage for an aiosqlite that is none we know."""
        check_aiosqlite(self)
        try:
            await self
        except BaseException:
            await asyncio.to_thread(self._thread.join)  # it reports to the loop once more, so it must end first
            raise

    async def run_transaction(
        self,
        statements: Callable[[], Iterable[Statement]],
        afterwards: Callable[[], None] = lambda: None,
        before: Callable[[sqlite3.Connection], None] = lambda _: None,
    ) -> None:
        """Run statements as one transaction: all of it or, if one raises, nothing.

        All arguments are called in the connection's thread, and so may take their time. `before` is called when nobody
        else can write any more, and what it raises keeps the transaction from beginning; what `afterwards` raises finds
        it committed.
        """
        await self.in_thread(lambda _: self._transact(statements, afterwards, before))

    async def in_thread(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Let something else be done with the connection, in its thread."""
        done: T = await self._execute(lambda: work(self._conn))  # type: ignore[no-untyped-call]  # aiosqlite has it so
        return done

    def _transact(
        self,
        statements: Callable[[], Iterable[Statement]],
        afterwards: Callable[[], None],
        before: Callable[[sqlite3.Connection], None],
    ) -> None:
        connection = self._conn
        connection.execute("BEGIN IMMEDIATE")
        try:
            before(connection)
            for sql, rows in statements():
                connection.executemany(sql, rows)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:  # a full disk has rolled back already
                connection.execute("ROLLBACK")
            raise
        afterwards()
