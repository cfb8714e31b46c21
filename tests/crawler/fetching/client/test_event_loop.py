"""The crawl's event loop connects without a name lookup, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvloop

from hinterland.crawler.fetching.client.event_loop import CrawlLoop

FAMILIES = [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]


class WithoutLookups(CrawlLoop):
    """A crawl's loop all of whose threads for name lookups are busy: a further lookup never ends."""

    async def getaddrinfo(self, *arguments: Any, **options: Any) -> Any:
        await asyncio.Event().wait()


class PlainWithoutLookups(uvloop.Loop):
    async def getaddrinfo(self, *arguments: Any, **options: Any) -> Any:
        await asyncio.Event().wait()


@contextmanager
def unconnected(family: socket.AddressFamily) -> Iterator[socket.socket]:
    with socket.socket(family) as sock:
        sock.setblocking(False)
        yield sock


@pytest.mark.parametrize("family, address", FAMILIES)
def test_a_literal_address_is_connected_to_while_every_thread_for_lookups_is_busy(
    family: socket.AddressFamily, address: str
) -> None:
    async def connected() -> tuple[Any, Any]:
        with socket.create_server((address, 0), family=family) as server, unconnected(family) as sock:
            await asyncio.get_running_loop().sock_connect(sock, server.getsockname()[:2])
            return sock.getpeername(), server.getsockname()

    with asyncio.Runner(loop_factory=WithoutLookups) as runner:
        peer, listening = runner.run(connected())
    assert peer == listening


def test_uvloop_itself_would_wait_for_a_thread() -> None:
    """Why the crawl has a loop of its own; once this fails, it needs none any more."""

    async def is_connected() -> bool:
        with socket.create_server(("127.0.0.1", 0)) as server, unconnected(socket.AF_INET) as sock:
            connecting = asyncio.ensure_future(
                asyncio.get_running_loop().sock_connect(sock, server.getsockname()),
            )
            await asyncio.wait([connecting], timeout=0.2)
            connecting.cancel()
            return connecting.done()

    with asyncio.Runner(loop_factory=PlainWithoutLookups) as runner:
        assert not runner.run(is_connected())


async def test_a_refused_connection_is_an_error_with_its_number() -> None:
    with socket.socket() as bound, unconnected(socket.AF_INET) as sock:
        bound.bind(("127.0.0.1", 0))  # but nobody listens
        with pytest.raises(OSError, match="refused") as caught:
            await asyncio.get_running_loop().sock_connect(sock, bound.getsockname())
    assert caught.value.errno == errno.ECONNREFUSED


async def test_an_attempt_that_is_cancelled_leaves_the_socket_unwatched() -> None:
    with socket.socket() as deaf, socket.socket() as first, socket.socket() as second:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for caller in (first, second):  # they fill its queue, so that the kernel ignores the next one
            caller.setblocking(False)
            assert caller.connect_ex(deaf.getsockname()) in (0, errno.EINPROGRESS)
        with unconnected(socket.AF_INET) as sock:
            loop = asyncio.get_running_loop()
            connecting = asyncio.ensure_future(loop.sock_connect(sock, deaf.getsockname()))
            await asyncio.sleep(0.05)
            assert not connecting.done()
            connecting.cancel()
            await asyncio.wait([connecting])
            assert connecting.cancelled()
            assert not loop.remove_writer(sock)


async def test_a_name_is_still_looked_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, unconnected(socket.AF_INET) as sock:
        port = server.getsockname()[1]
        await asyncio.get_running_loop().sock_connect(sock, ("localhost", port))
        assert sock.getpeername() == ("127.0.0.1", port)
