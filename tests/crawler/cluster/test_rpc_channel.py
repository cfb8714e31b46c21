"""Remote calls between two processes, of which one hangs up."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from hinterland.crawler.cluster.rpc_channel import RpcChannel
from hinterland.crawler.features.exchange.url_forwarding import ShardUnavailable


async def repeat(what: str, about: Any) -> Any:
    return what, about


async def test_a_call_is_answered_by_the_other_side() -> None:
    one, other = socket.socketpair()
    channels = [RpcChannel(*await asyncio.open_connection(sock=end), repeat) for end in (one, other)]
    running = [asyncio.create_task(channel.run()) for channel in channels]
    assert await channels[0].call("status", 7) == ("status", 7)
    running[0].cancel()
    await asyncio.wait(running)


async def test_over_a_stream_that_was_closed_before_anybody_read_its_end_a_call_says_that_the_shard_is_gone() -> None:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    channel = RpcChannel(reader, writer, repeat)
    theirs.close()
    writer.close()
    await writer.wait_closed()
    channel.tell("warn", "nobody hears this")
    with pytest.raises(ShardUnavailable):
        await channel.call("status")
