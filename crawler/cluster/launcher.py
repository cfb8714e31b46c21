"""What the driver needs of the machinery that runs shards: to start them, to reach them and to end them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.crawler.assembly.request import CrawlRequest
from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.storage.values.shards import FoundPage, ShardMark


@dataclass(frozen=True, slots=True)
class ShardOrder:
    """What a shard is to do.

    `processes` is how many processes may parse pages, over all shards on its machine.
    """

    request: CrawlRequest
    mark: ShardMark
    store: Path
    processes: int


class ShardLost(Exception):
    """A shard is gone without having said how its crawl ended: it or its machine was killed."""


class ShardFailed(Exception):
    """The crawl of a shard failed, and restarting it would not help. `of_store` says that its store is to blame."""

    def __init__(self, problem: str, *, of_store: bool = False) -> None:
        """Hold the problem in words, and whether the shard's store is to blame."""
        super().__init__(problem)
        self.of_store = of_store


@dataclass(frozen=True, slots=True)
class HeldUp:
    """What keeps a shard from its first answer.

    `why` says it in words. `by_room` means that no machine has room for it, so that ending and restarting it would not
    help.
    """

    why: str
    by_room: bool = False


class Shard(Protocol):
    """A shard that was started. Its calls raise ShardUnavailable if it does not answer."""

    ended: asyncio.Future[CrawlResult]
    """The result of the crawl. Raises ShardLost or ShardFailed."""

    async def deliver(self, found: Sequence[FoundPage]) -> None:
        """Hand over pages that other shards found; returns once they are in its store."""

    async def status(self) -> ShardStatus:
        """Return the shard's status."""

    async def allow(self, max_pages: int) -> int:
        """Set the limit of pages in the shard's store; returns the limit that now holds."""

    async def finish(self) -> None:
        """End the crawl, since no shard has work left."""

    async def stop(self) -> None:
        """Begin no more visits, and end once those in progress are done."""

    async def send_again(self, shard: int) -> None:
        """Send another shard again what it had acknowledged."""

    async def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Tell which addresses the shard has to itself and which it shares; see Frontier."""

    async def learnt(self, since: Cursor) -> PackedDelta:
        """Return what the shard's graph has gained since a cursor; see SharedGraph."""

    async def places(self, names: NameArray, below: int) -> IntArray:
        """Return the numbers of pages by name; see SharedGraph."""

    async def rank(self, urgencies: Urgencies) -> None:
        """Reorder the waiting pages by these urgencies; see SharedGraph."""

    async def held_up(self) -> HeldUp:
        """Return what holds up a shard that has not answered since it was started."""

    async def give_up(self) -> None:
        """End a shard that does not answer any more, so that `ended` raises ShardLost."""


class ShardRouter(Protocol):
    """The way from a shard to the other shards, and to people."""

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        """Deliver pages to another shard. Raises ShardUnavailable."""

    def has_lost(self, shard: int) -> None:
        """Report that a shard may lack what its previous owner had acknowledged.

        Its store may be an older copy, or have been through a power cut.
        """

    def warn(self, text: str) -> None:
        """Show a warning to the user."""


class Launcher(Protocol):
    """A kind of machinery that runs shards."""

    async def start(self, order: ShardOrder, router: ShardRouter) -> Shard:
        """Start a shard; calls `router.has_lost` if it had an owner before. Raises OSError."""

    async def close(self) -> None:
        """End at once all shards that still run."""
