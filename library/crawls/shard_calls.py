"""The calls that a shard answers over its socket, and the calls that it makes itself. `shard_process` runs them."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from typing import Any

import uvloop

from hinterland.crawler.cluster.launcher import ShardOrder
from hinterland.crawler.cluster.rpc_channel import RpcChannel
from hinterland.crawler.cluster.shard_host import ShardHost
from hinterland.crawler.fetching.client import event_loop
from hinterland.crawler.parsing.compiled.freed_memory import limit_freed_memory
from hinterland.library.plugin_tables import enter_plugins
from hinterland.storage.values.shards import FoundPage


def answer_calls(connection: socket.socket) -> None:
    """Do what the calls over the connection ask for, such as crawling, until the other side closes it."""
    limit_freed_memory()
    uvloop.run(_Process().run(connection), loop_factory=event_loop.CrawlLoop)


class _Process:
    def __init__(self) -> None:
        self._host = ShardHost()
        self._channel: RpcChannel

    async def run(self, connection: socket.socket) -> None:
        reader, writer = await asyncio.open_connection(sock=connection)
        self._channel = RpcChannel(reader, writer, self._answer)
        handler = _WarningRelay(self._channel)
        logging.getLogger().addHandler(handler)
        await self._channel.run()
        logging.getLogger().removeHandler(handler)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:  # cancelled calls, among them the crawl, which closes its store
            await asyncio.wait(others)

    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        await self._channel.call("deliver", (shard, found))

    async def _answer(self, what: str, about: Any) -> Any:
        host = self._host
        match what:
            case "crawl":
                return await self._crawl(about)
            case "deliver":
                return await host.deliver(about)
            case "status":
                return host.status()
            case "allow":
                return host.allow(about)
            case "send_again":
                return await host.send_again(about)
            case "addresses_told":
                return host.addresses_told(*about)
            case "learnt":
                return await host.learnt(about)
            case "places":
                return await host.places(*about)
            case "rank":
                return host.rank(about)
            case "finish":
                return host.finish()
            case "stop":
                return host.stop()
        raise ValueError(f"a shard cannot {what}")

    async def _crawl(self, order: ShardOrder) -> Any:
        enter_plugins(order.request.plugins)
        return await self._host.crawl(order, self)


class _WarningRelay(logging.Handler):
    def __init__(self, channel: RpcChannel) -> None:
        super().__init__(logging.WARNING)
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        self._channel.tell("warn", self.format(record))
