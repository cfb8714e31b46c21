"""Runs the crawl of one shard, in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.crawler.assembly.assembly import MakesParsers
from hinterland.crawler.assembly.running import CrawlResult, run_crawl
from hinterland.crawler.cluster.launcher import ShardFailed, ShardOrder
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.features.exchange.url_forwarding import Membership, Peers, ShardUnavailable, UrlForwarder
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.storage.failures import store_failure
from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreInUse, holder_of
from hinterland.storage.shard_fence import Fenced
from hinterland.storage.store_connections import StoreError
from hinterland.storage.values.shards import FoundPage

_PATIENCE_SECONDS: Final = 60.0
_AGAIN_SECONDS: Final = 0.2


class ShardHost:
    """The crawl of a shard, with the methods that other processes call. Mutable.

    Calls raise ShardUnavailable before the crawl is open and after it has ended.
    """

    def __init__(self, pool: MakesParsers = ParserPool, owns: Callable[[], object] = lambda: None) -> None:
        """Start without a crawl; `pool` makes the parsers, and `owns` is passed to Exchange."""
        self._pool = pool
        self._owns = owns
        self._forwarder: UrlForwarder | None = None
        self._is_stopped = False

    async def crawl(self, order: ShardOrder, peers: Peers) -> CrawlResult:
        """Carry out an order and return the result. Raises ShardFailed; any other exception is a bug."""
        shard = Membership(order.mark, peers, self._opened, order.processes, self._owns)
        try:
            async with AsyncExitStack() as stack:
                store = await stack.enter_async_context(await _free(order.store))
                request = replace(order.request, asked=(*order.request.asked, shard))
                return await run_crawl(request, store, pool=self._pool)
        except (StoreError, StoreInUse, Fenced) as error:
            raise ShardFailed(str(error), of_store=True) from error
        except Exception as error:
            failure = store_failure(error)
            if failure is None:
                raise
            raise ShardFailed(f"{order.store}: {failure} ({type(failure).__name__})", of_store=True) from error
        finally:
            self._forwarder = None

    def _opened(self, forwarder: UrlForwarder) -> None:
        self._forwarder = forwarder
        if self._is_stopped:
            forwarder.crawl.stop()

    async def deliver(self, found: Sequence[FoundPage]) -> None:
        """Store pages that other shards found."""
        await self._open.receive(found)

    async def send_again(self, shard: int) -> None:
        """Resend to another shard everything that it had acknowledged."""
        await self._open.send_again(shard)

    def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Set which addresses only this shard visits, and which it shares."""
        self._open.addresses_told(alone, shared)

    async def learnt(self, since: Cursor) -> PackedDelta:
        """Return what was added to the shard's graph since a cursor."""
        return await self._open.learnt(since)

    async def places(self, names: NameArray, below: int) -> IntArray:
        """Return the page numbers of names, which are hashes of URLs."""
        return await self._open.places(names, below)

    def rank(self, urgencies: Urgencies) -> None:
        """Reorder the waiting pages."""
        self._open.rank(urgencies)

    def status(self) -> ShardStatus:
        """Return the shard's status."""
        return self._open.status()

    def allow(self, max_pages: int) -> int:
        """Set the limit of pages in the store; return the limit in effect."""
        return self._open.crawl.allow(max_pages)

    def finish(self) -> None:
        """End the crawl, because no shard has work left."""
        self._open.finish()

    def stop(self) -> None:
        """Begin no more visits, even if the crawl is not open yet."""
        self._is_stopped = True
        if self._forwarder is not None:
            self._forwarder.crawl.stop()

    @property
    def _open(self) -> UrlForwarder:
        if self._forwarder is None:
            raise ShardUnavailable
        return self._forwarder


async def _free(path: Path) -> LinkStore:
    """Return the store once no process has it open; its last owner may still be closing it."""
    for _ in range(round(_PATIENCE_SECONDS / _AGAIN_SECONDS)):
        if await asyncio.to_thread(holder_of, path) is None:
            break
        await asyncio.sleep(_AGAIN_SECONDS)
    return LinkStore(path)
