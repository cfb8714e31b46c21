"""Sends pages to the other shards, and takes up what they send.

A page is sent once it has been committed here, and is acknowledged once it is committed there, so it survives the death
of either shard. A page that is sent again because an answer was lost is known there already.
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
"""Pages of a message that are taken up without a pause for the crawl: about ten milliseconds."""
_GATHER_SECONDS: Final = 0.1
_MESSAGES_A_SECOND: Final = 50.0
"""The most messages to all other shards together. A message costs as much time as some hundred pages in it, so pages
for many shards are gathered first.
"""
_AGAIN_SECONDS: Final = 0.5


class ShardUnavailable(Exception):
    """A shard does not answer now: it is being restarted, or has ended.

    What was sent to it must be sent again.
    """


class Peers(Protocol):
    """The other shards."""

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        """Return once the pages are in the store of that shard. Raises ShardUnavailable."""


def gathering_seconds(others: int) -> float:
    """Return for how many seconds pages for that many other shards are gathered."""
    return max(_GATHER_SECONDS, others / _MESSAGES_A_SECOND)


class UrlForwarder:
    """Exchanges pages with the other shards. `run` it beside a crawl, until it is cancelled."""

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

        `shared` is what the cluster ranks pages by, None if each shard does that alone. `epoch` counts the starts of
        this shard.
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
        """One lock for each other shard: what it acknowledged must not be noted after it was said to have lost that."""

    async def run(self) -> None:
        """Send pages for ever, to each other shard one message at a time."""
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
        """Add pages that another shard has found; return once they are in the store.

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
        """Send again what another shard acknowledged but may have lost; return once that is noted in the store.

        Raises ShardUnavailable.
        """
        async with self._acknowledging[shard]:
            if self._crawl.has_ended:
                raise ShardUnavailable
            await self._writer.submit(UnacknowledgedRecord(shard))
            self._exchange.restore(await self._store.ask(lambda stored: stored.shards.unsent_to(shard)))

    # ---------------------------------------------------------------- the order of the waiting pages of all shards

    async def learnt(self, since: Cursor) -> PackedDelta:
        """Return what has been learnt about links since `since`."""
        delta = self._open_graph.learnt(since)
        return await asyncio.to_thread(delta.packed)

    async def places(self, names: NameArray, below: int) -> IntArray:
        """Return the page numbers of these names, see `SharedGraph.begin_places`."""
        return await asyncio.to_thread(self._open_graph.begin_places(names, below))

    def rank(self, urgencies: Urgencies) -> None:
        """Set the urgencies of the pages that were last reported as waiting."""
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
        """Pass on which addresses are this shard's alone, see `Frontier.addresses_told`."""
        self._crawl.addresses_told(alone, shared)

    def finish(self) -> None:
        """End the crawl once there is nothing to do: nothing comes from other shards any more."""
        self._exchange.is_closed = True
        self._crawl.reconsider()

    @property
    def crawl(self) -> Crawl:
        """The crawl of this shard."""
        return self._crawl


@dataclass(frozen=True, slots=True)
class Membership:
    """Which shard of a crawl this is.

    `processes` is how many processes may parse pages, over all shards on this machine. `opened` is called once this
    shard can receive. For `owns` see UrlExchange.
    """

    mark: ShardMark
    peers: Peers
    opened: Callable[[UrlForwarder], None]
    processes: int
    owns: Callable[[], object] = lambda: None
