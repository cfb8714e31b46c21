"""Sends pages to the other shards, and receives pages from them.

A page is sent once it is in the store of the sender, and acknowledged once it is in the store of the receiver, so it
survives a crash of either shard. If the acknowledgement is lost, the page is sent again, which does no harm.
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
"""How many received pages are processed, in about ten milliseconds, before the event loop gets a turn."""
_GATHER_SECONDS: Final = 0.1
_MESSAGES_A_SECOND: Final = 50.0
"""The most messages per second to all other shards together. A message takes as much time as a few hundred of its
pages, so pages are gathered before they are sent.
"""
_AGAIN_SECONDS: Final = 0.5


class ShardUnavailable(Exception):
    """Raised if a shard does not answer, because it is being restarted or has ended.

    The pages of an unanswered message must be sent again.
    """


class Peers(Protocol):
    """Delivers pages to the other shards."""

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        """Deliver pages to a shard; return once they are in its store. Raises ShardUnavailable."""


def gathering_seconds(others: int) -> float:
    """Return for how many seconds pages are gathered before they are sent, given the number of other shards."""
    return max(_GATHER_SECONDS, others / _MESSAGES_A_SECOND)


class UrlForwarder:
    """Exchanges pages with the other shards while its `run` is running, beside the crawl."""

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
        """Connect the exchange of this shard to its peers and its store.

        `shared` reports the links of this shard if the pages of all shards are ranked together, and is None if each
        shard ranks its own. `epoch` counts the starts of this shard.
        """
        self._shared = shared
        self._exchange = exchange
        self._peers = peers
        self._store = store
        self._crawl_state = crawl_state
        self._writer = io.writer
        self._crawl = crawl
        self._epoch = epoch
        self._acknowledging = defaultdict[int, asyncio.Lock](asyncio.Lock)
        """One lock for each other shard. Without it, an acknowledgement could be noted in the store after `send_again`
        had cancelled it.
        """

    async def run(self) -> None:
        """Send pages until cancelled, one message at a time to each other shard."""
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
        """Send one message; return whether there was anything to send. Raises ShardUnavailable."""
        async with self._acknowledging[shard]:
            found = await self._store.ask(lambda stored: stored.shards.to_send(shard, _IN_A_MESSAGE))
            if found:
                await self._peers.deliver(shard, found)
                pages = [(each.page, each.depth) for each in found]
                await self._writer.submit(AcknowledgedRecord(shard, pages))
                self._exchange.acknowledged(shard, pages)
        return bool(found)

    async def receive(self, found: Sequence[FoundPage]) -> None:
        """Add pages that another shard has found; return once they are in this shard's store.

        Raises ShardUnavailable.
        """
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
        """Mark pages as unsent that another shard acknowledged but may have lost; return once this is in the store.

        Raises ShardUnavailable.
        """
        async with self._acknowledging[shard]:
            if self._crawl.has_ended:
                raise ShardUnavailable
            await self._writer.submit(UnacknowledgedRecord(shard))
            self._exchange.restore(await self._store.ask(lambda stored: stored.shards.unsent_to(shard)))

    # ---------------------------------------------------------------- the order of the waiting pages of all shards

    async def learnt(self, since: Cursor) -> PackedDelta:
        """Return the pages and links that this shard has learnt of after `since`. Raises ShardUnavailable."""
        delta = self._open_graph.learnt(since)
        return await asyncio.to_thread(delta.packed)

    async def places(self, names: NameArray, below: int) -> IntArray:
        """Return the page numbers of these names; see `SharedGraph.begin_places`. Raises ShardUnavailable."""
        return await asyncio.to_thread(self._open_graph.begin_places(names, below))

    def rank(self, urgencies: Urgencies) -> None:
        """Receive the urgencies of the pages last reported as waiting, shape (k,). Raises ShardUnavailable."""
        self._open_graph.rank(urgencies)
        self._crawl.reconsider()

    @property
    def _open_graph(self) -> SharedGraph:
        if self._shared is None or self._crawl.has_ended or not self._crawl.preparation.is_ready:
            raise ShardUnavailable
        return self._shared

    # ---------------------------------------------------------------- status

    def status(self) -> ShardStatus:
        """Return the status of this shard."""
        exchange = self._exchange
        return ShardStatus(
            epoch=self._epoch,
            pending_end=exchange.pending_end if self._crawl.is_idle else None,
            handed_over=exchange.handed_over,
            received=exchange.received,
            unsent=exchange.unsent_count,
            statistics=self._crawl.statistics(),
            addresses=self._crawl.addresses_asked(),
        )

    def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Tell the crawl which IP addresses only this shard uses and which are shared, see `Frontier`."""
        self._crawl.addresses_told(alone, shared)

    def finish(self) -> None:
        """Let the crawl end as soon as it is idle, because no more pages will come from other shards."""
        self._exchange.is_closed = True
        self._crawl.reconsider()

    @property
    def crawl(self) -> Crawl:
        """The crawl of this shard."""
        return self._crawl


@dataclass(frozen=True, slots=True)
class Membership:
    """Which shard a crawl is, and its connections to the other shards.

    `processes` is how many processes may parse pages, for all shards on this machine together. `opened` is called once
    this shard can receive pages. For `owns` see UrlExchange.
    """

    mark: ShardMark
    peers: Peers
    opened: Callable[[UrlForwarder], None]
    processes: int
    owns: Callable[[], object] = lambda: None
