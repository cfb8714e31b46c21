"""An aiosqlite connection that runs a whole transaction in one trip to its thread."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

import aiosqlite

T = TypeVar("T")

Statement = tuple[str, Iterable[Sequence[Any]]]
"""SQL, and the rows of parameters to execute it with."""


class BatchConnection(aiosqlite.Connection):
    """A database connection in autocommit mode, except inside `run_transaction`.

    A transaction runs in the connection's thread as a whole. If each of its statements were awaited, the work would
    pass between two threads about ten times, and a cancelled await would leave the transaction half executed.
    """

    def __init__(self, path: Path) -> None:
        """Take the path of the database; `open` opens it."""
        super().__init__(self._connected, iter_chunk_size=10_000)
        self._path = path
        self._work = SimpleQueue[Callable[[sqlite3.Connection], None]]()
        self._own_thread: threading.Thread | None = None

    async def open(self) -> None:
        """Open the database. Raises sqlite3.Error if it cannot be opened."""
        try:
            await _to_its_end(self._open())
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Close the database once all queued work is done.

        If the caller is cancelled meanwhile, the cancellation is raised after the database is closed.
        """
        await _to_its_end(self._close())

    def _connected(self) -> sqlite3.Connection:
        """Connect to the database; called in the connection's thread."""
        self._own_thread = threading.current_thread()
        connection = sqlite3.connect(self._path, isolation_level=None, factory=_Workplace)
        connection.work = self._work
        return connection

    async def _open(self) -> None:
        await self

    async def _close(self) -> None:
        try:
            await super().close()
        finally:
            if self._own_thread is not None:  # it could call the loop once more
                await asyncio.to_thread(self._own_thread.join)

    async def run_transaction(
        self,
        statements: Callable[[], Iterable[Statement]],
        afterwards: Callable[[], None] = lambda: None,
        before: Callable[[sqlite3.Connection], None] = lambda _: None,
    ) -> None:
        """Execute statements as one transaction: all of them or, if one raises, none.

        All arguments are called in the connection's thread, so they may block. `before` is called first, inside the
        transaction; from then on, no other connection can write. If `before` raises, no statement is executed.
        `afterwards` is called after the commit, so an exception that it raises does not undo the transaction.
        """
        await self.in_thread(lambda connection: _transact(connection, statements, afterwards, before))

    async def rows(self, sql: str, parameters: Iterable[Any] = ()) -> list[Any]:
        """Return all rows of a query, in one trip to the connection's thread.

        A cursor would need three trips. It would also stay open for a while, and statements begun in that time would
        read the same old snapshot, without recent commits.
        """
        return list(await self.execute_fetchall(sql, tuple(parameters)))

    async def in_thread(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the connection in its thread, and return its result."""
        done = list[T]()
        self._work.put(lambda connection: done.append(work(connection)))
        await self.commit()
        return done[0]


class _Workplace(sqlite3.Connection):
    """An SQLite connection whose `commit` calls the next function in the queue `work`.

    aiosqlite calls `commit` in the connection's thread, and offers no other way to call a function there. In autocommit
    mode there is nothing else to commit.
    """

    work: SimpleQueue[Callable[[sqlite3.Connection], None]]

    def commit(self) -> None:
        """Call the next function in the queue with this connection. Raises what the function raises."""
        self.work.get_nowait()(self)


def _transact(
    connection: sqlite3.Connection,
    statements: Callable[[], Iterable[Statement]],
    afterwards: Callable[[], None],
    before: Callable[[sqlite3.Connection], None],
) -> None:
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
    """Await `work` to its end even if the caller is cancelled; then raise the cancellation.

    If `work` were left running, the connection's thread could report its result to an event loop that is already
    closed.
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
