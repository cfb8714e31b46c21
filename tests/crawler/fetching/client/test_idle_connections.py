"""Idle connections are left before their server closes them, as far as it has let that be known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from hinterland.crawler.fetching.answers import Answer, BodyLimits
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.settings import FetchingSettings

LIMITS = BodyLimits(None, 1000)


class Server:
    """Keeps a connection until it has been idle for `idle_seconds`. keep_alive: what it says of that."""

    def __init__(self, idle_seconds: float, keep_alive: bytes = b"") -> None:
        self._idle_seconds = idle_seconds
        self._keep_alive = keep_alive
        self.connections = 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                async with asyncio.timeout(self._idle_seconds):
                    await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n%s\r\nok" % self._keep_alive)
        except (TimeoutError, asyncio.IncompleteReadError):
            writer.close()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@asynccontextmanager
async def fetching() -> AsyncIterator[Fetcher]:
    settings = FetchingSettings(allow_networks=("127.0.0.0/8",))
    async with Fetcher(settings, "Hinterland/1", asyncio.get_running_loop().time) as fetcher:
        yield fetcher


async def connections(server: Server, *pauses: float) -> list[int]:
    """How many connections there have been after each request; before each but the first is a pause."""
    counts = []
    async with server.listening() as url, fetching() as fetcher:
        for pause in (0.0, *pauses):
            await asyncio.sleep(pause)
            answer = await fetcher.fetch(url, LIMITS)
            assert isinstance(answer, Answer), answer
            counts.append(server.connections)
    return counts


async def test_a_connection_is_kept_while_nothing_speaks_against_it() -> None:
    assert await connections(Server(60.0), 0.0, 0.6, 0.0) == [1, 1, 1, 1]


async def test_an_announced_timeout_is_kept_to_with_a_margin() -> None:
    assert await connections(Server(60.0, b"Keep-Alive: timeout=1, max=100\r\n"), 0.0, 0.8, 0.0) == [1, 1, 2, 2]


async def test_a_server_that_was_seen_to_close_an_idle_connection_is_not_tried_again_as_late() -> None:
    assert await connections(Server(1.0), 1.3, 0.8, 0.0) == [1, 2, 3, 3]
