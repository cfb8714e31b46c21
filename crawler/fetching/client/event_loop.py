"""The event loop of a crawl: uvloop's, with connections that need no name lookup."""

from __future__ import annotations

import asyncio
import os
import socket
from errno import EINPROGRESS, EINTR
from typing import Any

import uvloop


class CrawlLoop(uvloop.Loop):
    """A loop that connects to a literal address without a lookup.

    uvloop itself passes every address to getaddrinfo, even a literal one. getaddrinfo runs in a few threads, so each
    new connection would wait behind all name lookups while its time limit runs.
    """

    async def sock_connect(self, sock: socket.socket, address: Any) -> None:
        """Connect a non-blocking socket.

        If this is cancelled, the caller keeps the socket, and the loop stops watching it.
        """
        if not _is_literal(sock.family, address):
            await super().sock_connect(sock, address)
            return
        number = sock.connect_ex(address)
        if number in (EINPROGRESS, EINTR):
            number = await self._outcome(sock)
        if number:
            raise OSError(number, f"{os.strerror(number)}: {address[0]}")

    async def _outcome(self, sock: socket.socket) -> int:
        """Wait until an attempt to connect has ended; return its error number, 0 for success."""
        ended: asyncio.Future[int] = self.create_future()

        def settle() -> None:
            if not ended.done():
                ended.set_result(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))

        self.add_writer(sock, settle)
        try:
            return await ended
        finally:
            self.remove_writer(sock)


def _is_literal(family: int, address: Any) -> bool:
    """Return whether an address of a socket of this family needs no lookup."""
    if family not in (socket.AF_INET, socket.AF_INET6):
        return False
    try:
        socket.inet_pton(family, address[0])
    except (OSError, TypeError):
        return False  # a name, or an address with a zone ("fe80::1%eth0")
    return True
