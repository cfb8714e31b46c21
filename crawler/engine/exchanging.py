"""Sends what was handed over to other shards, and takes up what they send.

What is sent has been committed here, and is acknowledged once it is committed there, so it survives the death of
either; what is sent again because an answer was lost is known there already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from crawler.decisions.exchange import Exchange
from crawler.decisions.ledger import Ledger
from crawler.decisions.standing import Standing
from crawler.engine.crawl import Crawl
from crawler.visiting.shell import Shell
from storage.link_store import LinkStore
from storage.values.shards import AcknowledgedRecord, FoundPage, ShardMark, UnacknowledgedRecord

_AT_ONCE: Final = 1000
"""Pages in one message."""
_GATHER_SECONDS: Final = 0.1
_AGAIN_SECONDS: Final = 0.5


class Away(Exception):
    """A shard does not answer now: it is being started again, or has ended. What it was sent is to be sent again."""


class Peers(Protocol):
    """The other shards."""

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        """Return once they are in the store of that shard. Raises Away."""


class Exchanging:
    """`run` beside a crawl, until cancelled."""

    def __init__(
        self, exchange: Exchange, peers: Peers, store: LinkStore, ledger: Ledger, shell: Shell, crawl: Crawl, epoch: int
    ) -> None:
        self._exchange = exchange
        self._peers = peers
        self._store = store
        self._ledger = ledger
        self._writer = shell.writer
        self._crawl = crawl
        self._epoch = epoch

    async def run(self) -> None:
        """To each other shard one message at a time."""
        async with asyncio.TaskGroup() as scope:
            sending: dict[int, asyncio.Task[None]] = {}
            while True:
                for shard, unsent in list(self._exchange.unsent.items()):
                    if unsent and (shard not in sending or sending[shard].done()):
                        sending[shard] = scope.create_task(self._send(shard))
                await asyncio.sleep(_GATHER_SECONDS)

    async def _send(self, shard: int) -> None:
        while found := await self._store.ask(lambda stored: stored.shards.to_send(shard, _AT_ONCE)):
            try:
                await self._peers.deliver(shard, found)
            except Away:
                await asyncio.sleep(_AGAIN_SECONDS)
                return
            pages = [(each.page, each.depth) for each in found]
            await self._writer.submit(AcknowledgedRecord(shard, pages))
            self._exchange.acknowledged(shard, pages)

    async def receive(self, found: Sequence[FoundPage]) -> None:
        """Take up pages that another shard has found; returns once they are in the store. Raises Away."""
        if self._crawl.has_ended:
            raise Away
        await self._crawl.take_up(lambda: self._ledger.received(found))

    async def send_again(self, shard: int) -> None:
        """Another shard may have lost what it had acknowledged; returns once that is to be sent again. Raises Away."""
        if self._crawl.has_ended:
            raise Away
        await self._writer.submit(UnacknowledgedRecord(shard))
        self._exchange.restore(await self._store.ask(lambda stored: stored.shards.all_for(shard)))

    def standing(self) -> Standing:
        exchange = self._exchange
        return Standing(
            self._epoch,
            exchange.wish if self._crawl.is_idle else None,
            exchange.handed_over,
            exchange.received,
            exchange.unsent_count,
            self._crawl.statistics(),
        )

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
    this part can receive; owns: see Exchange."""

    mark: ShardMark
    peers: Peers
    opened: Callable[[Exchanging], None]
    processes: int
    owns: Callable[[], object] = lambda: None
