"""Crawls in several parts, all of them in the event loop of the test."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.cluster.driver import Driver
from hinterland.crawler.cluster.launcher import HeldUp, ShardLost, ShardOrder, ShardRouter
from hinterland.crawler.cluster.shard_host import ShardHost
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.features.exchange.url_forwarding import ShardUnavailable
from hinterland.crawler.loop.crawl_start import CrawlRequest
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.joining import JoinedRun, join
from hinterland.storage.values.shards import FoundPage, ShardMark
from tests.support.crawling import Change, InlineParsers, quick_retries, quick_settings

RUN = JoinedRun(2e9, 2e9, "exhausted", '["crawl"]', "{}", "{}", 2e9)


class Alone:
    """The other shards, where there are none."""

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        raise ShardUnavailable


@dataclass
class Peers:
    """The other shards, as one sees them."""

    number: int
    router: ShardRouter
    sent: list[tuple[int, int, str]]

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        await self.router.deliver(shard, found)
        self.sent += [(self.number, shard, each.url) for each in found]


class HostedShard:
    """See Shard. `lose` looks to the driver as a kill does."""

    def __init__(self, order: ShardOrder, peers: Peers) -> None:
        self.number, self.epoch = order.mark.number, order.mark.epoch
        self._host = ShardHost(InlineParsers)
        self._is_frozen = False
        self._crawling = asyncio.create_task(self._host.crawl(order, peers))
        self.ended: asyncio.Future[CrawlResult] = asyncio.ensure_future(self._ended())

    async def _ended(self) -> CrawlResult:
        await asyncio.wait([self._crawling])
        if self._crawling.cancelled():
            raise ShardLost("a shard is gone")
        return self._crawling.result()

    def lose(self) -> None:
        self._crawling.cancel()

    def freeze(self) -> None:
        """Behave like a stopped process towards callers."""
        self._is_frozen = True

    async def held_up(self) -> HeldUp:
        return HeldUp("it is frozen")

    async def give_up(self) -> None:
        self.lose()

    async def deliver(self, found: Sequence[FoundPage]) -> None:
        """Leave a call without an answer if it is cut short by a kill."""
        delivering = asyncio.ensure_future(self._host.deliver(found))
        await asyncio.wait([delivering, self._crawling], return_when=asyncio.FIRST_COMPLETED)
        if not delivering.done():
            delivering.cancel()
            raise ShardUnavailable
        await delivering

    async def status(self) -> ShardStatus:
        await self._answers()
        return self._host.status()

    async def allow(self, max_pages: int) -> int:
        await self._answers()
        return self._host.allow(max_pages)

    async def finish(self) -> None:
        await self._answers()
        self._host.finish()

    async def _answers(self) -> None:
        if self._is_frozen:
            await asyncio.Event().wait()

    async def stop(self) -> None:
        self._host.stop()

    async def send_again(self, shard: int) -> None:
        await self._host.send_again(shard)

    async def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        self._host.addresses_told(alone, shared)

    async def learnt(self, since: Cursor) -> PackedDelta:
        return await self._host.learnt(since)

    async def places(self, names: NameArray, below: int) -> IntArray:
        return await self._host.places(names, below)

    async def rank(self, urgencies: Urgencies) -> None:
        self._host.rank(urgencies)


@dataclass
class InOneLoop:
    """See Launcher. sent: sender, receiver and URL of all that arrived from shard to shard. kind: of its shards.
    tells_of_losses: says that a shard had an owner before, as processes do; the test must not lose any meanwhile."""

    kind: type[HostedShard] = HostedShard
    sent: list[tuple[int, int, str]] = field(default_factory=list)
    shards: dict[int, HostedShard] = field(default_factory=dict)
    tells_of_losses: bool = False

    async def start(self, order: ShardOrder, router: ShardRouter) -> HostedShard:
        shard = self.shards[order.mark.number] = self.kind(order, Peers(order.mark.number, router, self.sent))
        if self.tells_of_losses and order.mark.has_predecessor:
            router.has_lost(order.mark.number)
        return shard

    async def close(self) -> None:
        """Like processes that are waited for: nothing of a shard goes on when the loop is closed."""
        for shard in self.shards.values():
            shard.lose()
        await asyncio.gather(*(shard.ended for shard in self.shards.values()), return_exceptions=True)


@dataclass
class ShardedCrawl:
    """A crawl in several shards, in files of a folder. What it needs to go on is kept from run to run."""

    addresses: Mapping[str, str]
    seeds: Sequence[str]
    folder: Path
    count: int
    changes: Mapping[str, Change] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    launcher: InOneLoop = field(default_factory=InOneLoop)
    epoch: int = 0

    def driver(self, max_pages: int | None = None) -> Driver:
        settings = quick_settings(self.addresses, **self.changes)
        canonical = Canonicaliser.under(settings.urls).canonical
        urls = [canonical(seed) or seed for seed in self.seeds]
        limit = None if max_pages is None else 0
        request = CrawlRequest(settings, urls, ["crawl"], limit, retry_rules=quick_retries(0.001))
        marks = [ShardMark("a crawl", number, self.count, 0) for number in range(self.count)]
        orders = [ShardOrder(request, mark, self.path(mark.number), 1) for mark in marks]
        return Driver(self.launcher, orders, self._next_epoch, self.warnings.append, self.folder, max_pages)

    def path(self, number: int) -> Path:
        return self.folder / f"{number}.db"

    async def run(self, max_pages: int | None = None) -> EndReason:
        return await self.driver(max_pages).run()

    def joined(self) -> Path:
        """One store of all parts."""
        store = self.folder / "joined.db"
        join([self.path(number) for number in range(self.count)], store, Shards(self.count).owner, RUN)
        return store

    def _next_epoch(self, shard: int) -> int:
        self.epoch += 1
        return self.epoch
