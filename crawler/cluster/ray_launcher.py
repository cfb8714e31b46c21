"""Runs shards as actors on the machines of a Ray cluster. Only this module and `ray_actor` import Ray.

Ray places actors, carries messages, and reports when an actor is gone. It does not restart actors: the driver does,
under the next epoch, and not before the lease of the last owner is over, unless its process is known to be dead.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import ray
from ray._private.state import available_resources_per_node  # the public calls report the whole cluster only
from ray.exceptions import (
    ActorAlreadyExistsError,
    ActorDiedError,
    GetTimeoutError,
    RayActorError,
    RayError,
    RayTaskError,
)

from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.cluster.launcher import HeldUp, ShardFailed, ShardLost, ShardOrder, ShardRouter
from hinterland.crawler.cluster.lease import LEASE_SECONDS
from hinterland.crawler.cluster.machines import PROCESSORS_A_SHARD, Machine, held_up_by
from hinterland.crawler.cluster.ray_actor import ActorStatus, ShardActor, require_version
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.features.exchange.url_forwarding import ShardUnavailable
from hinterland.distribution.installation import import_path
from hinterland.storage.values.shards import FoundPage

_CALLS_AT_ONCE: Final = 1000
_AGAIN_SECONDS: Final = 0.2
_DEAD_FOR_CERTAIN: Final = ("worker process", "Worker exit type")


class ClusterUnusable(Exception):
    """Raised if the cluster cannot be used. The message says why, and what to do."""


def connected(address: str | None, crawl: str, shards: int) -> RayLauncher:
    """Context manager: connect to the cluster whose head is at "HOST:PORT"; None starts one on this machine alone.

    Raises ClusterUnusable.
    """
    options: dict[str, Any] = {"address": address} if address else {"num_cpus": max(shards, os.cpu_count() or 1)}
    try:
        ray.init(
            namespace=_namespace(crawl),
            runtime_env={"env_vars": {"PYTHONPATH": import_path()}},
            log_to_driver=False,
            logging_level="ERROR",
            include_dashboard=False if address is None else None,
            **options,
        )
    except (RayError, RuntimeError, ConnectionError, ValueError) as error:
        where = address or "this machine"
        raise ClusterUnusable(f"the Ray cluster at {where} cannot be used: {' '.join(str(error).split())}") from error
    return RayLauncher()


def _namespace(crawl: str) -> str:
    return f"hinterland-{crawl}"


def _name(shard: int) -> str:
    return f"shard-{shard}"


class RayLauncher:
    """Runs shards as actors of Ray; see Launcher. Created by `connected`."""

    def __init__(self) -> None:
        """Start without shards."""
        self._actors = ray.remote(ShardActor)
        self._options: Final = {
            "num_cpus": PROCESSORS_A_SHARD,
            "max_restarts": 0,
            "max_concurrency": _CALLS_AT_ONCE,
            "scheduling_strategy": "SPREAD",
        }
        self._heard: dict[int, float] = {}
        """When each shard last answered, by the event loop's clock; kept while the shard may hold a lease."""

    async def start(self, order: ShardOrder, router: ShardRouter) -> RayShard:
        """Start an actor for a shard, once the lease of its last owner is over."""
        number = order.mark.number
        wait = self._heard.pop(number, 0.0) + LEASE_SECONDS - asyncio.get_running_loop().time()
        if wait > 0:
            await asyncio.sleep(wait)
        handle = await asyncio.to_thread(self._made, number)
        return RayShard(handle, order, router, self._heard)

    def _made(self, number: int) -> Any:
        """Create an actor, after waiting until Ray knows that the last actor of the same name is dead."""
        for _ in range(round(LEASE_SECONDS / _AGAIN_SECONDS)):
            with suppress(ValueError):  # there is none of that name
                ray.kill(ray.get_actor(_name(number)))
            with suppress(ActorAlreadyExistsError):
                return self._actors.options(name=_name(number), **self._options).remote(RayPeers)
            time.sleep(_AGAIN_SECONDS)
        raise OSError(f"Ray still has an actor {_name(number)}")

    async def close(self) -> None:
        """Disconnect from the cluster, which ends its actors."""
        await asyncio.to_thread(ray.shutdown)


class RayShard:
    """A shard in an actor of Ray; see Shard."""

    def __init__(self, handle: Any, order: ShardOrder, router: ShardRouter, heard: dict[int, float]) -> None:
        """Send the order to an actor.

        `heard` holds, for each shard, the latest time at which the shard may have received a lease. An entry is removed
        once the shard is certainly dead.
        """
        self._handle = handle
        self._number = order.mark.number
        self._router = router
        self._heard = heard
        self._arrived = 0
        self._asking: asyncio.Task[ActorStatus] | None = None
        self.ended: asyncio.Future[CrawlResult] = asyncio.ensure_future(self._crawled(order))

    async def deliver(self, found: Sequence[FoundPage]) -> None:
        """Hand over pages that other shards found."""
        await _answer(self._handle.deliver.remote(found))

    async def status(self) -> ShardStatus:
        """Return the shard's status.

        Only one request is open at a time: while a shard has not answered, no further request is sent to it.
        """
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
            self._asking.add_done_callback(_seen)
        answer = await asyncio.shield(self._asking)
        if answer.status is None:
            raise ShardUnavailable
        return answer.status

    async def _ask(self) -> ActorStatus:
        try:
            answer: ActorStatus = await _answer(self._handle.status.remote(self._arrived))
        finally:
            self._asking = None
        self._heard[self._number] = asyncio.get_running_loop().time()
        self._arrived = answer.number
        for warning in answer.warnings:
            self._router.warn(warning)
        if answer.has_lost:
            self._router.has_lost(self._number)
        return answer

    async def allow(self, max_pages: int) -> int:
        """Set the limit of pages in the shard's store."""
        allowed: int = await _answer(self._handle.allow.remote(max_pages))
        return allowed

    async def finish(self) -> None:
        """End the crawl."""
        await _answer(self._handle.finish.remote())

    async def stop(self) -> None:
        """Begin no more visits."""
        await _answer(self._handle.stop.remote())

    async def send_again(self, shard: int) -> None:
        """Resend to another shard everything that it had acknowledged."""
        await _answer(self._handle.send_again.remote(shard))

    async def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Tell the shard which addresses only it visits, and which it shares."""
        await _answer(self._handle.addresses_told.remote(alone, shared))

    async def learnt(self, since: Cursor) -> PackedDelta:
        """Return what was added to the shard's graph since a cursor."""
        delta: PackedDelta = await _answer(self._handle.learnt.remote(since))
        return delta

    async def places(self, names: NameArray, below: int) -> IntArray:
        """Return the page numbers of names, which are hashes of URLs."""
        places: IntArray = await _answer(self._handle.places.remote(names, below))
        return places

    async def rank(self, urgencies: Urgencies) -> None:
        """Reorder the waiting pages."""
        await _answer(self._handle.rank.remote(urgencies))

    async def held_up(self) -> HeldUp:
        """Return why the shard has not started, judging by the free processors of the machines."""
        return held_up_by(await asyncio.to_thread(_machines))

    async def give_up(self) -> None:
        """Kill the actor."""
        await asyncio.to_thread(ray.kill, self._handle)

    async def _crawled(self, order: ShardOrder) -> CrawlResult:
        name = f"shard {self._number + 1} of {order.mark.of}"
        try:
            require_version(await self._handle.version.remote())
            result: CrawlResult = await self._handle.crawl.remote(order)
        except RayTaskError as error:
            if isinstance(error.cause, ShardFailed):
                raise error.cause from None
            raise ShardFailed(f"{name}: {error.cause!r}") from error
        except RayActorError as error:
            if any(sign in str(error) for sign in _DEAD_FOR_CERTAIN):
                self._heard.pop(self._number, None)
            raise ShardLost(f"{name} has ended ({_first_line(error)})") from None
        return result


class RayPeers:
    """The other shards, as reached from a shard in the cluster."""

    def __init__(self) -> None:
        """Start without handles; each is looked up by name when it is needed."""
        self._handles: dict[int, Any] = {}

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        """Deliver pages to another shard. Raises ShardUnavailable."""
        try:
            if shard not in self._handles:
                self._handles[shard] = await asyncio.to_thread(ray.get_actor, _name(shard))
            await _answer(self._handles[shard].deliver.remote(found))
        except (ShardUnavailable, ValueError):
            self._handles.pop(shard, None)  # the actor that takes its place has another handle
            raise ShardUnavailable from None


def _machines() -> list[Machine]:
    """Return the machines of the cluster as Ray reports them; a lost machine is included for up to half a minute."""
    free = available_resources_per_node()
    return [
        Machine(
            node["NodeManagerAddress"],
            free.get(node["NodeID"], {}).get("CPU", 0.0),
            node["Resources"].get("CPU", 0.0),
        )
        for node in ray.nodes()
        if node["Alive"]
    ]


def _seen(asking: asyncio.Task[ActorStatus]) -> None:
    """Retrieve the error of a status request, so that asyncio does not report it if the caller has stopped waiting."""
    if not asking.cancelled():
        asking.exception()


async def _answer(asked: Any) -> Any:
    """Await the result of a remote call. Raises ShardUnavailable if the actor no longer answers."""
    try:
        return await asked
    except RayTaskError as error:
        raise error.cause from None
    except (RayActorError, GetTimeoutError):
        raise ShardUnavailable from None


def _first_line(error: ActorDiedError | RayActorError) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "it does not answer")
