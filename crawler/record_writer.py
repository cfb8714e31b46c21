"""Gathers records for a moment and writes them as one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from storage.records import Record

Write = Callable[[Sequence[Record]], Awaitable[None]]


class RecordWriter:
    """`await writer.submit(record)` returns once the record is committed.

    Records are written in the order of submission. Those that wait for one commit share a future, so a
    batch of any size wakes its submitters at once. It is bounded by its users: each awaits its commit.
    """

    def __init__(self, write: Write, *, commit_seconds: float, max_batch: int) -> None:
        self._write = write
        self._commit_seconds = commit_seconds
        self._max_batch = max_batch
        self._batch: list[Record] = []
        self._committed: asyncio.Future[None] | None = None
        self._news = asyncio.Event()
        self._full = asyncio.Event()
        self._closing = False

    def submit(self, *records: Record) -> asyncio.Future[None]:
        """Queue records; the future is done when they are in the store, or fails as the write failed."""
        if self._committed is None:
            self._committed = asyncio.get_running_loop().create_future()
        self._batch.extend(records)
        self._news.set()
        if len(self._batch) >= self._max_batch:
            self._full.set()
        return self._committed

    async def run(self) -> None:
        """Write until `close` and nothing is left. Raises what the store raises; nothing is retried blindly."""
        while True:
            await self._news.wait()
            if not self._closing:
                await self._gather()
            batch, committed = self._batch, self._committed
            self._batch, self._committed = [], None
            self._news.clear()
            self._full.clear()
            if committed is None:
                if self._closing:
                    return
                continue
            try:
                await self._write(batch)
            except BaseException as error:
                if not committed.done():
                    committed.set_exception(error)
                    committed.exception()  # whoever awaits it sees it; nobody has to
                raise
            if not committed.done():
                committed.set_result(None)
            if self._closing:
                self._news.set()

    def close(self) -> None:
        """Write what is left, then let `run` return."""
        self._closing = True
        self._news.set()
        self._full.set()

    async def _gather(self) -> None:
        """Let more records come, until the batch is full or the time is up."""
        try:
            async with asyncio.timeout(self._commit_seconds):
                await self._full.wait()
        except TimeoutError:
            pass
