"""The shards of a crawl that are not joined yet.

Each shard has its pages at a path of the server, and every dashboard lists all shards.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.library.text.shards_text import ShardReport
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.web.store_queries import StoreQueries


@dataclass(frozen=True, slots=True)
class CrawlShard:
    """A shard.

    `number` counts from 1. `path` is where its pages are, "" at the top.
    """

    number: int
    path: str
    queries: StoreQueries

    async def report(self) -> ShardReport | None:
        """Return the report of the shard.

        Returns None if the store of the shard cannot be read, for example while it is being replaced by a newer copy.
        """
        try:
            return await self.queries.ask_seldom("part", self._reported)
        except NoStore:
            return None

    def _reported(self, store: StoreReader) -> ShardReport:
        state = store.shard_state()
        return ShardReport(self.number, store.pages.counts(), state, store.size_bytes(), store.last_written())


async def reports_of(shards: Sequence[CrawlShard]) -> list[tuple[CrawlShard, ShardReport | None]]:
    """Return each shard with its report; see `CrawlShard.report`."""
    reports = await asyncio.gather(*(shard.report() for shard in shards))
    return list(zip(shards, reports, strict=True))
