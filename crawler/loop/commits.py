"""Records that bring something to light: written, while whoever can goes on at once."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_urls import PageUrls
from hinterland.crawler.loop.crawl_io import Schedule
from hinterland.storage.record_writer import RecordWriter
from hinterland.storage.values.records import Record


class Commits:
    """`await commits(record)` returns once the record is in the store, and so is every page that was known when it was
    submitted: their URLs need not be remembered any more.
    """

    def __init__(self, writer: RecordWriter, known: KnownPages, urls: PageUrls, schedule: Schedule) -> None:
        self._writer = writer
        self._known = known
        self._urls = urls
        self._schedule = schedule

    def __call__(self, *records: Record) -> Coroutine[None, None, None]:
        """Submit records at once; what is returned waits for them."""
        committed = self._writer.submit(*records)
        below = len(self._known)  # pages that become known from here on are in later records
        self._schedule()
        return self._stored(committed, below)

    async def _stored(self, committed: asyncio.Future[None], below: int) -> None:
        await committed
        self._urls.stored(below)
