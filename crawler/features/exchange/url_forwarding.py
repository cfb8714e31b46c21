"""Sends what was handed over to other shards, and takes up what they send.

What is sent has been committed here, and is acknowledged once it is committed there, so it survives the death of
either; what is sent again because an answer was lost is known there already.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.features.exchange.url_exchange import UrlExchange
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.crawl_io import CrawlIO
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.shards import AcknowledgedRecord, FoundPage, ShardMark, UnacknowledgedRecord

_IN_A_MESSAGE: Final = 10_000
_AT_ONCE: Final = 1000
"""Pages of a message that are taken up without a pause for the crawl: some ten milliseconds."""
_GATHER_SECONDS: Final = 0.1
_MESSAGES_A_SECOND: Final = 50.0
"""To all other shards together. A message takes the time of some hundred pages in it, so those of many shards wait
until there are some."""
_AGAIN_SECONDS: Final = 0.5


class ShardUnavailable(Exception):
    """A shard does not answer now: it is being started again, or has ended. What it was sent is to be sent again."""


class Peers(Protocol):
    """The other shards."""

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        """Return once they are in the store of that shard. Raises ShardUnavailable."""


def gathering_seconds(others: int) -> float:
    """How long pages for so many other shards are gathered."""
    return max(_GATHER_SECONDS, others / _MESSAGES_A_SECOND)


class UrlForwarder:
    """`run` beside a crawl, until cancelled."""

    def __init__(
        self,
        exchange: UrlExchange,
        peers: Peers,
        store: LinkStore,
        crawl_state: CrawlState,
        io: CrawlIO,
        crawl: Crawl,
        *,
        shared: SharedGraph | None,
        epoch: int,
    ) -> None:
        self._shared = shared
        self._exchange = exchange
        self._peers = peers
        self._store = store
        self._crawl_state = crawl_state
        self._writer = io.writer
        self._crawl = crawl
        self._epoch = epoch
        self._acknowledging = defaultdict[int, asyncio.Lock](asyncio.Lock)
        """Of each other shard. What it has acknowledged must not be noted once it is said to have lost that."""

    async def run(self) -> None:
        """To each other shard one message at a time."""
        gathering = gathering_seconds(self._exchange.others)
        async with asyncio.TaskGroup() as scope:
            sending: dict[int, asyncio.Task[None]] = {}
            while True:
                for shard, unsent in list(self._exchange.unsent.items()):
                    if unsent and (shard not in sending or sending[shard].done()):
                        sending[shard] = scope.create_task(self._send(shard))
                await asyncio.sleep(gathering)

    async def _send(self, shard: int) -> None:
        try:
            while await self._send_some(shard):
                pass
        except ShardUnavailable:
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _send_some(self, shard: int) -> bool:
        """Whether there was anything to send. Raises ShardUnavailable."""
        async with self._acknowledging[shard]:
            found = await self._store.ask(lambda stored: stored.shards.to_send(shard, _IN_A_MESSAGE))
            if found:
                await self._peers.deliver(shard, found)
                pages = [(each.page, each.depth) for each in found]
                await self._writer.submit(AcknowledgedRecord(shard, pages))
                self._exchange.acknowledged(shard, pages)
        return bool(found)

    async def receive(self, found: Sequence[FoundPage]) -> None:
        """Take up pages that another shard has found; returns once they are in the store. Raises ShardUnavailable."""
        slices = [found[begin : begin + _AT_ONCE] for begin in range(0, max(1, len(found)), _AT_ONCE)]
        taken = list[Awaitable[None]]()
        for some in slices:
            if self._crawl.has_ended:
                break
            taken.append(self._crawl.take_up(partial(self._exchange.receive, some, self._crawl_state)))
            await asyncio.sleep(0)
        await asyncio.gather(*taken)  # most of it is written together
        if len(taken) < len(slices):
            raise ShardUnavailable

    async def send_again(self, shard: int) -> None:
        """Another shard may have lost what it had acknowledged; returns once that is to be sent again.

        Raises ShardUnavailable.
        """
        async with self._acknowledging[shard]:
            if self._crawl.has_ended:
                raise ShardUnavailable
            await self._writer.submit(UnacknowledgedRecord(shard))
            self._exchange.restore(await self._store.ask(lambda stored: stored.shards.unsent_to(shard)))

    # ---------------------------------------------------------------- the order of what waits in all shards

    async def learnt(self, since: Cursor) -> PackedDelta:
        """What is known of links now and was not then."""
        delta = self._open_graph.learnt(since)
        return await asyncio.to_thread(delta.packed)

    async def places(self, names: NameArray, below: int) -> IntArray:
        """See SharedGraph."""
        return await asyncio.to_thread(self._open_graph.begin_places(names, below))

    def rank(self, urgencies: Urgencies) -> None:
        """How urgent the pages are that were last told of as waiting."""
        self._open_graph.rank(urgencies)
        self._crawl.reconsider()

    @property
    def _open_graph(self) -> SharedGraph:
        if self._shared is None or self._crawl.has_ended or not self._crawl.preparation.is_ready:
            raise ShardUnavailable
        return self._shared

    # ---------------------------------------------------------------- how it stands

    def status(self) -> ShardStatus:
        exchange = self._exchange
        return ShardStatus(
            epoch=self._epoch,
            wish=exchange.wish if self._crawl.is_idle else None,
            handed_over=exchange.handed_over,
            received=exchange.received,
            unsent=exchange.unsent_count,
            statistics=self._crawl.statistics(),
            addresses=self._crawl.addresses_asked(),
        )

    def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """See Frontier."""
        self._crawl.addresses_told(alone, shared)

    def finish(self) -> None:
        """Nothing comes from others any more: end once there is nothing to do."""
        self._exchange.is_closed = True
        self._crawl.reconsider()

    @property
    def crawl(self) -> Crawl:
        return self._crawl


@dataclass(frozen=True, slots=True)
class Membership:
    """Which part of a crawl this is. processes: that may parse pages, over all parts on this machine; opened: told once
    this part can receive; owns: see UrlExchange.
    """

    mark: ShardMark
    peers: Peers
    opened: Callable[[UrlForwarder], None]
    processes: int
    owns: Callable[[], object] = lambda: None
