"""Runs shards as processes of this machine."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Sequence
from typing import Any

from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.cluster.launcher import HeldUp, ShardFailed, ShardLost, ShardOrder, ShardRouter
from hinterland.crawler.cluster.rpc_channel import RpcChannel
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.features.exchange.url_forwarding import ShardUnavailable
from hinterland.distribution.installation import import_path
from hinterland.storage.values.shards import FoundPage


class LocalLauncher:
    """Runs shards as processes of this machine; see Launcher."""

    def __init__(self, module: str) -> None:
        """Start without shards.

        `module` is the module that each process runs; it answers calls over the socket whose descriptor it is given.
        """
        self._module = module
        self._processes: list[asyncio.subprocess.Process] = []

    async def start(self, order: ShardOrder, router: ShardRouter) -> ShardProcess:
        """Start a process for a shard."""
        ours, theirs = socket.socketpair()
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self._module, str(theirs.fileno())),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the driver alone
                env={**os.environ, "PYTHONPATH": import_path()},
            )
        finally:
            theirs.close()
        self._processes.append(process)
        reader, writer = await asyncio.open_connection(sock=ours)
        if order.mark.has_predecessor:
            router.has_lost(order.mark.number)
        return ShardProcess(process, reader, writer, order, router)

    async def close(self) -> None:
        """Kill all processes that are still running, and wait for their end."""
        for process in self._processes:
            if process.returncode is None:
                process.kill()
        for process in self._processes:
            await process.wait()


class ShardProcess:
    """A shard in a process of this machine; see Shard."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        order: ShardOrder,
        router: ShardRouter,
    ) -> None:
        """Send the order to a process, over a connection to it."""
        self._router = router
        self._channel = RpcChannel(reader, writer, self._answer)
        self._running = asyncio.create_task(self._channel.run())
        self.process = process
        self.ended: asyncio.Future[CrawlResult] = asyncio.ensure_future(self._crawled(order))

    async def deliver(self, found: Sequence[FoundPage]) -> None:
        """Hand over pages that other shards found."""
        await self._channel.call("deliver", found)

    async def status(self) -> ShardStatus:
        """Return the shard's status."""
        status: ShardStatus = await self._channel.call("status")
        return status

    async def allow(self, max_pages: int) -> int:
        """Set the limit of pages in the shard's store."""
        allowed: int = await self._channel.call("allow", max_pages)
        return allowed

    async def finish(self) -> None:
        """End the crawl."""
        await self._channel.call("finish")

    async def stop(self) -> None:
        """Begin no more visits."""
        await self._channel.call("stop")

    async def send_again(self, shard: int) -> None:
        """Resend to another shard everything that it had acknowledged."""
        await self._channel.call("send_again", shard)

    async def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Tell the shard which addresses only it visits, and which it shares."""
        await self._channel.call("addresses_told", (alone, shared))

    async def learnt(self, since: Cursor) -> PackedDelta:
        """Return what was added to the shard's graph since a cursor."""
        delta: PackedDelta = await self._channel.call("learnt", since)
        return delta

    async def places(self, names: NameArray, below: int) -> IntArray:
        """Return the page numbers of names, which are hashes of URLs."""
        places: IntArray = await self._channel.call("places", (names, below))
        return places

    async def rank(self, urgencies: Urgencies) -> None:
        """Reorder the waiting pages."""
        await self._channel.call("rank", urgencies)

    async def held_up(self) -> HeldUp:
        """Return that the process is still importing the program: a local shard has no other reason for silence."""
        return HeldUp(f"process {self.process.pid} has not imported the program yet")

    async def give_up(self) -> None:
        """Kill the process."""
        self.process.kill()

    async def _crawled(self, order: ShardOrder) -> CrawlResult:
        name = f"shard {order.mark.number + 1} of {order.mark.of}"
        try:
            result: CrawlResult = await self._channel.call("crawl", order)
        except ShardUnavailable:
            code = await self.process.wait()
            how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
            raise ShardLost(f"the process of {name} has ended ({how})") from None
        except ShardFailed:
            raise
        except Exception as error:
            raise ShardFailed(f"{name}: {error!r}") from error
        finally:
            self._running.cancel()
        return result

    async def _answer(self, what: str, about: Any) -> Any:
        if what == "deliver":
            await self._router.deliver(*about)
        else:
            self._router.warn(about)
