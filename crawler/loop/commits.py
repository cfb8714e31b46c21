"""Commits records with discoveries. Newly found pages can be visited even before they are in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_urls import PageUrls
from hinterland.crawler.loop.crawl_io import Schedule
from hinterland.storage.record_writer import RecordWriter
from hinterland.storage.values.records import Record


class Commits:
    """Submits records to the store; `await commits(record)` returns once they are stored.

    By then, every page known at the submission is stored as well, so its URL need no longer be kept in memory.
    """

    def __init__(self, writer: RecordWriter, known: KnownPages, urls: PageUrls, schedule: Schedule) -> None:
        """`schedule` is called after each submission, because the records may contain new pages."""
        self._writer = writer
        self._known = known
        self._urls = urls
        self._schedule = schedule

    def __call__(self, *records: Record) -> Coroutine[None, None, None]:
        """Submit records immediately; the returned coroutine ends once they are stored."""
        committed = self._writer.submit(*records)
        below = len(self._known)  # pages discovered from here on are in later records
        self._schedule()
        return self._stored(committed, below)

    async def _stored(self, committed: asyncio.Future[None], below: int) -> None:
        await committed
        self._urls.stored(below)
