"""An aiosqlite connection that runs a whole transaction in one trip to its thread."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from hinterland.storage.aiosqlite_parts import check_aiosqlite

T = TypeVar("T")

Statement = tuple[str, Iterable[Sequence[Any]]]
"""SQL, and the rows of parameters to execute it with."""


class BatchConnection(aiosqlite.Connection):
    """A database connection in autocommit mode, except inside `run_transaction`.

    A transaction runs in the connection's thread as a whole. If each of its statements were awaited, the work would
    pass between two threads about ten times, and a cancelled await would leave the transaction half executed.
    """

    @classmethod
    def of(cls, path: Path) -> BatchConnection:
        """Return an unopened connection to the database at `path`."""
        return cls(partial(sqlite3.connect, path, isolation_level=None), iter_chunk_size=10_000)

    async def open(self) -> None:
        """Open the database.

        Raises sqlite3.Error if it cannot be opened, and MissingPackage for an unknown version of aiosqlite.
        """
        check_aiosqlite(self)
        try:
            await self
        except BaseException:
            await _to_its_end(self._thread_ends())  # it calls the loop once more
            raise

    async def close(self) -> None:
        """Close the database once all queued work is done.

        If the caller is cancelled meanwhile, the cancellation is raised after the database is closed.
        """
        await _to_its_end(self._close())

    async def _close(self) -> None:
        try:
            await super().close()
        finally:
            await self._thread_ends()

    async def _thread_ends(self) -> None:
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    async def run_transaction(
        self,
        statements: Callable[[], Iterable[Statement]],
        afterwards: Callable[[], None] = lambda: None,
        before: Callable[[sqlite3.Connection], None] = lambda _: None,
    ) -> None:
        """Execute statements as one transaction: all of them or, if one raises, none.

        All arguments are called in the connection's thread, so they may block. `before` is called first, when no other
        connection can write any more; if it raises, no statement is executed. `afterwards` is called after the commit,
        so an exception that it raises does not undo the transaction.
        """
        await self.in_thread(lambda _: self._transact(statements, afterwards, before))

    async def rows(self, sql: str, parameters: Iterable[Any] = ()) -> list[Any]:
        """Return all rows of a query, in one trip to the connection's thread.

        A cursor would need three trips. It would also stay open for a while, and statements begun in that time would
        read the same old snapshot, without recent commits.
        """
        return list(await self.execute_fetchall(sql, tuple(parameters)))

    async def in_thread(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the connection in its thread, and return its result."""
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


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Await `work` even if cancelled meanwhile, and raise the cancellation afterwards.

    Otherwise the connection's thread could report its result to an event loop that is already closed.
    """
    task, cancelled = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        task.exception()  # so that it counts as seen
        raise cancelled
    task.result()
