"""Reads from a store, in portions, everything that a resumed crawl needs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from hinterland.storage.batch_connection import BatchConnection
from hinterland.storage.link_reading import LINKING_VISITS, LINKS, PAGES, VISITS, OutlinkSorter, stored_pages
from hinterland.storage.values.compression import unpacked_bytes
from hinterland.storage.values.records import StoredOutlinks, StoredPages
from hinterland.storage.values.topics import RelevanceRecord

_CHUNK: Final = 10_000


class CrawlStateReader:
    """Reads the pages, links, relevances and visits of a whole store."""

    def __init__(self, reader: BatchConnection) -> None:
        """Take an open connection, which the caller closes."""
        self._reader = reader

    async def pages(self) -> AsyncIterator[StoredPages]:
        """Yield all pages in the order of their numbers, several thousand at a time."""
        first = 0
        async for rows in self._chunks(PAGES):
            visits = await self._reader.rows(VISITS, (first, first + len(rows)))
            yield stored_pages(first, rows, visits)
            first += len(rows)

    async def outlinks(self, on_progress: Callable[[int], None] = lambda _: None) -> StoredOutlinks:
        """Return the links of every page whose links are known, even if it has none.

        Sorting the links takes 11 bytes of memory per link. From time to time, `on_progress` receives the number of the
        page whose links were read last.
        """
        links = OutlinkSorter(await self._reader.in_thread(_page_count))
        cursor = await self._reader.in_thread(lambda connection: connection.execute(LINKS))
        try:
            while (last := await self._reader.in_thread(lambda _: links.take(cursor))) is not None:
                on_progress(last)
        finally:
            await self._reader.in_thread(lambda _: cursor.close())
        visited: list[tuple[int]] = []
        async for rows in self._chunks(LINKING_VISITS):
            visited += rows
        return await asyncio.to_thread(links.in_order, visited)

    async def relevances(self) -> AsyncIterator[tuple[RelevanceRecord, bool, int]]:
        """Yield the relevance of each visited page, in the order of the last visits.

        Each item is (relevance, whether the page was read as HTML, number of its last visit).
        """
        async for rows in self._chunks(
            "SELECT relevance.page, probability, links, outcome = 'fetched', visit"
            " FROM relevance JOIN fetch ON fetch.page = relevance.page ORDER BY visit"
        ):
            for page, probability, links, is_page, visit in rows:
                content = None if links is None else unpacked_bytes(links)
                yield RelevanceRecord(page, probability, content), bool(is_page), visit

    async def captures(self) -> AsyncIterator[tuple[int, float, int]]:
        """Yield (page, start of its last visit in epoch seconds, number of its visits) for every visited page."""
        async for rows in self._chunks("SELECT page, started_at, attempt FROM fetch ORDER BY page"):
            for row in rows:
                yield row

    async def _chunks(self, sql: str) -> AsyncIterator[list[Any]]:
        async with self._reader.execute(sql) as cursor:
            while rows := list(await cursor.fetchmany(_CHUNK)):
                yield rows


def _page_count(connection: sqlite3.Connection) -> int:
    [(count,)] = connection.execute("SELECT coalesce(max(id) + 1, 0) FROM page")
    return int(count)
