"""Where shards run, as those see it who watch them: any kind of machinery that starts them and carries messages."""

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
    """What a shard is to do. processes: that may parse pages, over all shards on its machine."""

    request: CrawlRequest
    mark: ShardMark
    store: Path
    processes: int


class ShardLost(Exception):
    """A shard is gone without having said how its crawl ended: it was killed, or its machine."""


class ShardFailed(Exception):
    """The crawl of a shard failed: to start it again would not help. of_store: if its store is to blame."""

    def __init__(self, problem: str, *, of_store: bool = False) -> None:
        super().__init__(problem)
        self.of_store = of_store


@dataclass(frozen=True, slots=True)
class HeldUp:
    """What keeps a shard from its first answer. why: in words. by_room: no machine has room for it, so it would not
    help to end it and start it again.
    """

    why: str
    by_room: bool = False


class Shard(Protocol):
    """A shard that was started. The calls raise ShardUnavailable if it does not answer."""

    ended: asyncio.Future[CrawlResult]
    """Raises ShardLost or ShardFailed."""

    async def deliver(self, found: Sequence[FoundPage]) -> None: ...
    async def status(self) -> ShardStatus: ...
    async def allow(self, max_pages: int) -> int: ...
    async def finish(self) -> None: ...
    async def stop(self) -> None: ...
    async def send_again(self, shard: int) -> None: ...
    async def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """See Frontier."""

    async def learnt(self, since: Cursor) -> PackedDelta:
        """See SharedGraph, as the two that follow."""

    async def places(self, names: NameArray, below: int) -> IntArray: ...
    async def rank(self, urgencies: Urgencies) -> None: ...
    async def held_up(self) -> HeldUp:
        """By what, as it has not answered yet since it was started."""

    async def give_up(self) -> None:
        """End what does not answer any more, so that it is ShardLost."""


class ShardRouter(Protocol):
    """By whom messages reach the other shards, and people.

    `deliver` raises ShardUnavailable. `has_lost` says that a shard had an owner before, and that its store may lack
    what that owner had acknowledged: it may be an older copy, or have been through a power cut.
    """

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None: ...
    def has_lost(self, shard: int) -> None: ...
    def warn(self, text: str) -> None: ...


class Launcher(Protocol):
    async def start(self, order: ShardOrder, router: ShardRouter) -> Shard:
        """router.has_lost is called if the shard had an owner before. Raises OSError."""

    async def close(self) -> None:
        """End at once what still runs."""
