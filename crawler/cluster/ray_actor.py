"""A shard as an actor of Ray. Its crawl runs in a thread with its own event loop, on the disk of its machine.

From time to time, and at the end, the store is copied to the folder of the crawl, which all machines see. The next
owner of the shard continues with the store on its own disk, unless the copy was made by a later owner.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import tempfile
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.crawler import __version__
from hinterland.crawler.assembly.assembly import MakesParsers
from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.cluster.launcher import ShardFailed, ShardOrder
from hinterland.crawler.cluster.lease import EXIT_LEASE_OVER, Lease
from hinterland.crawler.cluster.shard_host import ShardHost
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.features.exchange.url_forwarding import Peers, ShardUnavailable
from hinterland.crawler.fetching.client import event_loop
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.storage.copying import copy_store, mark_of, remove_store, take_copy
from hinterland.storage.failures import SqliteError
from hinterland.storage.values.shards import FoundPage, ShardMark

T = TypeVar("T")

_FIRST_COPY_SECONDS: Final = 2.0
_COPY_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class ActorStatus:
    """The answer to a status request.

    `number` is the number of this answer. `status` is None while the crawl is not open. `warnings` holds the warnings
    since the last answer. `has_lost` reports once that ShardRouter.has_lost must be called.
    """

    number: int
    status: ShardStatus | None
    warnings: list[str]
    has_lost: bool


class ShardActor:
    """The actor of one shard. Its methods are called remotely."""

    def __init__(
        self, peers: Callable[[], Peers], lease: Callable[[], Lease] = Lease, pool: MakesParsers = ParserPool
    ) -> None:
        """Start the thread of the crawl, and the lease.

        `peers` makes the connection to the other shards, `pool` makes the parsers.
        """
        self._peers = peers
        self._lease = lease()
        self._host = ShardHost(pool, owns=self._lease.holds)
        self._warnings: list[str] = []
        self._has_lost = False
        self._loop = event_loop.CrawlLoop()
        threading.Thread(target=self._loop.run_forever, daemon=True, name="crawl").start()

    def version(self) -> str:
        """Return the version of Hinterland on this machine."""
        return __version__

    async def crawl(self, order: ShardOrder) -> CrawlResult:
        """Carry out the crawl of the shard; return its result. Raises ShardFailed."""
        handler = _WarningCollector(self._warnings)
        logging.getLogger().addHandler(handler)
        try:
            return await self._there(self._crawl(order))
        finally:
            self._lease.give_up()
            logging.getLogger().removeHandler(handler)

    async def deliver(self, found: Sequence[FoundPage]) -> None:
        """Store pages that other shards found."""
        await self._there(self._host.deliver(found))

    async def send_again(self, shard: int) -> None:
        """Resend to another shard everything that it had acknowledged."""
        await self._there(self._host.send_again(shard))

    async def status(self, arrived: int) -> ActorStatus:
        """Return the shard's status, and renew the lease.

        `arrived` is the number of the last answer that arrived.
        """
        number = self._lease.asked(arrived)
        status = None
        with suppress(ShardUnavailable):
            status = await self._there(_called(self._host.status))
        warnings, self._warnings[:] = self._warnings[:], []
        has_lost = self._has_lost and status is not None
        self._has_lost = self._has_lost and not has_lost
        return ActorStatus(number, status, warnings, has_lost=has_lost)

    async def allow(self, max_pages: int) -> int:
        """Set the limit of pages in the shard's store."""
        return await self._there(_called(lambda: self._host.allow(max_pages)))

    async def finish(self) -> None:
        """End the crawl."""
        await self._there(_called(self._host.finish))

    async def stop(self) -> None:
        """Begin no more visits."""
        await self._there(_called(self._host.stop))

    async def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Set which addresses only this shard visits, and which it shares."""
        await self._there(_called(lambda: self._host.addresses_told(alone, shared)))

    async def learnt(self, since: Cursor) -> PackedDelta:
        """Return what was added to the shard's graph since a cursor."""
        return await self._there(self._host.learnt(since))

    async def places(self, names: NameArray, below: int) -> IntArray:
        """Return the page numbers of names, which are hashes of URLs."""
        return await self._there(self._host.places(names, below))

    async def rank(self, urgencies: Urgencies) -> None:
        """Reorder the waiting pages."""
        await self._there(_called(lambda: self._host.rank(urgencies)))

    async def _there(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the thread of the crawl; wait for its result and return it."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    # ---------------------------------------------------------------- the store

    async def _crawl(self, order: ShardOrder) -> CrawlResult:
        await asyncio.to_thread(self._lease.begun.wait)
        try:
            own, is_older = await asyncio.to_thread(_taken_up, order.store, order.mark)
        except OSError as error:
            raise ShardFailed(
                f"{order.store} cannot be read on {socket.gethostname()}: {error}", of_store=True
            ) from error
        self._has_lost = order.mark.has_predecessor
        if is_older:
            what = f"shard {order.mark.number + 1} goes on with an older copy of its store"
            self._warnings.append(f"{what}; pages fetched after that copy are fetched again")
        crawling = asyncio.create_task(self._host.crawl(replace(order, store=own), self._peers()))
        try:
            await self._copy_now_and_then(own, order, crawling)
        finally:
            crawling.cancel()  # it has ended already, unless this task is cancelled
        result = await crawling
        try:
            await asyncio.to_thread(_copied, own, order.store, order.mark)
        except (SqliteError, OSError) as error:
            where = f"the store is whole in {own} on {socket.gethostname()}"
            raise ShardFailed(f"{order.store} cannot be written: {error}; {where}", of_store=True) from error
        await asyncio.to_thread(remove_store, own)
        return result

    async def _copy_now_and_then(self, own: Path, order: ShardOrder, crawling: asyncio.Task[CrawlResult]) -> None:
        """Copy the store regularly until the crawl has ended; no copy is under way when this returns.

        The first copy is made soon, so that another machine can continue from it if this one is lost.
        """
        wait = _FIRST_COPY_SECONDS
        while not (await asyncio.wait([crawling], timeout=wait))[0]:
            wait = _COPY_SECONDS
            try:
                await asyncio.to_thread(_copied, own, order.store, order.mark)
            except (SqliteError, OSError) as error:
                self._warnings.append(
                    f"{order.store} cannot be written: {error}; this will be retried, and the crawl goes on"
                )


def require_version(theirs: str) -> None:
    """Raise ShardFailed unless `theirs`, the version on another machine, equals the version on this one."""
    if theirs != __version__:
        raise ShardFailed(
            f"a machine of the cluster has Hinterland {theirs}, and this one {__version__};"
            " install the same version on all"
        )


def _taken_up(copy: Path, mark: ShardMark) -> tuple[Path, bool]:
    """Copy the store of a shard to this machine, unless this machine has the newest copy.

    Returns the path of the store here, and whether it may lack data of its last owner. Raises OSError and ShardFailed.
    """
    folder = Path(tempfile.gettempdir(), f"hinterland-{mark.crawl}")
    folder.mkdir(mode=0o700, exist_ok=True)
    own = folder / f"{mark.number}.db"
    here, there = _known_mark_of(own), _known_mark_of(copy)
    epoch = 0 if here is None else here.epoch
    if there is not None and there.epoch > epoch:
        take_copy(copy, own)  # made when its owner was at work, perhaps
        return own, True
    return own, epoch != mark.epoch - 1


def _known_mark_of(store: Path) -> ShardMark | None:
    """Return the mark in a store, which says which shard the store is; None if it has no mark.

    Raises OSError and ShardFailed.
    """
    try:
        return mark_of(store)
    except SqliteError as error:
        what = f"{store} cannot be read on {socket.gethostname()}: {error}"
        way_out = "continue with --resume once it can be; if it is damaged, move it away and give the seeds again"
        raise ShardFailed(f"{what}; {way_out}", of_store=True) from error


def _copied(own: Path, copy: Path, mark: ShardMark) -> None:
    there = mark_of(copy)
    if there is not None and there.epoch > mark.epoch:
        os._exit(EXIT_LEASE_OVER)  # another process owns the shard, and nothing of this one counts any more
    copy_store(own, copy)


async def _called(question: Callable[[], T]) -> T:
    return question()


class _WarningCollector(logging.Handler):
    """Appends the text of each logged warning to a list."""

    def __init__(self, warnings: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._warnings = warnings

    def emit(self, record: logging.LogRecord) -> None:
        self._warnings.append(self.format(record))
