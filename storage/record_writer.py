"""Gathers the records of a short time, and writes them as one transaction."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from hinterland.storage.values.extraction import ExtractedRecord
from hinterland.storage.values.feature_records import FeatureRecord
from hinterland.storage.values.records import DiscoveriesRecord, Record, RobotsRecord, VisitRecord

Write = Callable[[Sequence[Record]], Awaitable[None]]

MAX_BATCH: Final = 64
"""When a batch has this many records, it is written without waiting for more."""
MAX_QUEUED_BYTES: Final = 64_000_000
"""While more bytes than this are queued, no further visit begins, so that a slow disk slows the crawl down instead of
filling the memory. A usual batch has less than 1 MB.
"""
_BATCH_BYTES = 4_000_000
"""The most bytes of a batch. It takes about a quarter of a second to write, so the next batch never waits longer."""
_ROW_BYTES, _PAGE_BYTES, _LINK_BYTES = 500, 200, 100


def weight_of(record: Record) -> int:
    """Return roughly how many bytes of memory a record takes. The time to write it grows with this number."""
    if isinstance(record, VisitRecord):
        links = 0 if record.links is None else len(record.links.targets)
        size = _ROW_BYTES + _PAGE_BYTES * len(record.new_pages) + _LINK_BYTES * links
        if (content := record.content) is not None:
            parts = content.text, content.body, content.main
            size += len(content.headings) + sum(len(part) for part in parts if part is not None)
        return size
    if isinstance(record, DiscoveriesRecord):
        return _ROW_BYTES + _PAGE_BYTES * len(record.new_pages)
    if isinstance(record, ExtractedRecord):
        return _ROW_BYTES + sum(map(len, record.records))
    if isinstance(record, FeatureRecord):
        return _ROW_BYTES + record.weight
    return _ROW_BYTES + len(record.text or b"") if isinstance(record, RobotsRecord) else _ROW_BYTES


class RecordWriter:
    """Writes records in batches: `await writer.submit(record)` returns once the record is committed.

    Records are written in the order of submission. Records of one commit share a future, so all submitters of a batch
    continue together. The queue itself has no bound: callers must await their commits, and must not begin work that
    leads to more records while the writer `is_full`.
    """

    def __init__(
        self,
        write: Write,
        *,
        commit_seconds: float,
        max_batch: int = MAX_BATCH,
        max_queued_bytes: float = MAX_QUEUED_BYTES,
        after_write: Write | None = None,
    ) -> None:
        """Take the function that writes a batch, and the limits.

        `commit_seconds` is how long to gather records before a commit. `after_write` is awaited with the written batch
        before its submitters continue.
        """
        self._write = write
        self._after_write = after_write
        self._max_queued_bytes = max_queued_bytes
        self._queued_bytes = 0
        self._ahead: deque[tuple[list[Record], asyncio.Future[None], int]] = deque()
        """Full batches, which are written before the batch that still accepts records."""
        self._batch_bytes = 0
        self._commit_seconds = commit_seconds
        self._max_batch = max_batch
        self._batch: list[Record] = []
        self._committed: asyncio.Future[None] | None = None
        self._news = asyncio.Event()
        self._full = asyncio.Event()
        self._closing = False
        self.has_failed = False

    def submit(self, *records: Record) -> asyncio.Future[None]:
        """Queue records, and return a future that is done once they are in the store.

        If the write fails, the future raises its error.
        """
        committed = self._committed
        if committed is None:
            committed = self._committed = asyncio.get_running_loop().create_future()
        self._batch.extend(records)
        size = sum(map(weight_of, records))
        self._batch_bytes += size
        self._queued_bytes += size
        self._news.set()
        if len(self._batch) >= self._max_batch or self._batch_bytes >= _BATCH_BYTES:
            self._full.set()
        if self._batch_bytes >= _BATCH_BYTES:
            self._ahead.append((self._batch, committed, self._batch_bytes))
            self._batch, self._committed, self._batch_bytes = [], None, 0
        return committed

    @property
    def is_full(self) -> bool:
        """Whether more than `max_queued_bytes` is queued."""
        return self._queued_bytes > self._max_queued_bytes

    async def run(self) -> None:
        """Write until `close` was called and the queue is empty.

        Raises what the store raises; a failed batch is not retried.
        """
        while True:
            await self._news.wait()
            if not self._closing:
                await self._gather()
            if self._ahead:
                batch, committed, size = self._ahead.popleft()
            elif self._committed is not None:
                batch, committed, size = self._batch, self._committed, self._batch_bytes
                self._batch, self._committed, self._batch_bytes = [], None, 0
            elif self._closing:
                return
            else:
                self._news.clear()
                continue
            if not self._ahead:
                self._full.clear()
                if self._committed is None:
                    self._news.clear()
            try:
                await self._write(batch)
                if self._after_write is not None:
                    await self._after_write(batch)
            except BaseException as error:
                self.has_failed = True
                if not committed.done():
                    committed.set_exception(error)
                    committed.exception()  # retrieved here, so asyncio does not complain if nobody awaits it
                raise
            self._queued_bytes -= size
            if not committed.done():
                committed.set_result(None)
            if self._closing:
                self._news.set()

    def close(self) -> None:
        """Let `run` write all queued records and then return."""
        self._closing = True
        self._news.set()
        self._full.set()

    async def _gather(self) -> None:
        """Wait for more records until the batch is full or `commit_seconds` have passed."""
        try:
            async with asyncio.timeout(self._commit_seconds):
                await self._full.wait()
        except TimeoutError:
            pass
