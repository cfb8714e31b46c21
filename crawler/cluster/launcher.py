"""The interface between the driver and a launcher, which starts, reaches and ends shards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.loop.crawl_start import CrawlRequest
from hinterland.storage.values.shards import FoundPage, ShardMark


@dataclass(frozen=True, slots=True)
class ShardOrder:
    """The instructions for a shard.

    `processes` is the number of processes that may parse pages, over all shards on the same machine.
    """

    request: CrawlRequest
    mark: ShardMark
    store: Path
    processes: int


class ShardLost(Exception):
    """Raised if a shard has ended without reporting its result, because its process was killed or its machine lost."""


class ShardFailed(Exception):
    """Raised if the crawl of a shard failed and a restart would not help.

    `of_store` says that the shard's store is the cause.
    """

    def __init__(self, problem: str, *, of_store: bool = False) -> None:
        """Take the problem in words, and whether the shard's store is the cause."""
        super().__init__(problem)
        self.of_store = of_store


@dataclass(frozen=True, slots=True)
class HeldUp:
    """Why a shard has not given its first answer yet.

    `why` is the reason in words. `by_room` means that no machine has room for the shard, so ending and restarting it
    would not help.
    """

    why: str
    by_room: bool = False


class Shard(Protocol):
    """A shard that was started. Its methods raise ShardUnavailable if it does not answer."""

    ended: asyncio.Future[CrawlResult]
    """The result of the crawl. Raises ShardLost or ShardFailed."""

    async def deliver(self, found: Sequence[FoundPage]) -> None:
        """Hand over pages that other shards found; return once they are in the shard's store."""

    async def status(self) -> ShardStatus:
        """Return the shard's status."""

    async def allow(self, max_pages: int) -> int:
        """Set the limit of pages in the shard's store; return the limit in effect."""

    async def finish(self) -> None:
        """End the crawl, because no shard has work left."""

    async def stop(self) -> None:
        """Begin no more visits, and end once the visits under way are finished."""

    async def send_again(self, shard: int) -> None:
        """Resend to another shard everything that it had acknowledged."""

    async def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Report which addresses only this shard visits (`alone`) and which it shares; see Frontier."""

    async def learnt(self, since: Cursor) -> PackedDelta:
        """Return what was added to the shard's graph since a cursor; see SharedGraph."""

    async def places(self, names: NameArray, below: int) -> IntArray:
        """Return the page numbers of names, -1 for names that none of the first `below` pages has; see SharedGraph."""

    async def rank(self, urgencies: Urgencies) -> None:
        """Reorder the waiting pages by these urgencies; see SharedGraph."""

    async def held_up(self) -> HeldUp:
        """Return why a shard has not answered yet since it was started."""

    async def give_up(self) -> None:
        """End a shard that no longer answers, so that `ended` raises ShardLost."""


class ShardRouter(Protocol):
    """Connects a shard to the other shards and to the user."""

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        """Deliver pages to another shard. Raises ShardUnavailable."""

    def has_lost(self, shard: int) -> None:
        """Report that a shard may lack data that its previous owner had acknowledged.

        Its store may be an older copy, or may have lost its last writes in a power cut.
        """

    def warn(self, text: str) -> None:
        """Show the user a warning."""


class Launcher(Protocol):
    """Starts shards. Each kind of cluster has its own launcher."""

    async def start(self, order: ShardOrder, router: ShardRouter) -> Shard:
        """Start a shard. Calls `router.has_lost` if the shard was run by another process before. Raises OSError."""

    async def close(self) -> None:
        """End all shards that are still running, immediately."""
