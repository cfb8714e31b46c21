"""Serves the hostile hosts on loopback addresses: `python -m benchmarks.hostile.server FOLDER [GROUP/NAME...]`.

Prints the port when it is ready, and at SIGTERM writes FOLDER/requests.jsonl, a line for each request (when, host,
path), and FOLDER/server.json: what was sent, and when the server itself was late.
"""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import ssl
import struct
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvloop

from benchmarks.hostile.behaviour import NO_ROBOTS, Exchange, Handler, http, page
from benchmarks.hostile.hosts import Host, chosen_hosts
from benchmarks.hostile.tls import Certificates

_TICK = 0.05
_WELCOME = "Everything that can go wrong does so somewhere, but not here. " * 12


class _Exchange:
    """One connection; a request at a time."""

    def __init__(self, server: HostileServer, host: Host, reader: asyncio.StreamReader, writer: Any) -> None:
        self._server, self._host = server, host
        self._reader, self._writer = reader, writer
        self.path = ""
        self.times = 0
        self.is_over = False

    async def send(self, data: bytes) -> None:
        self._server.sent[self._host.name] += len(data)
        self._writer.write(data)
        await self._writer.drain()

    def close(self) -> None:
        self.is_over = True
        self._writer.close()

    def reset(self) -> None:
        self.is_over = True
        found = self._writer.get_extra_info("socket")
        if found is not None:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def wait_for_client_to_leave(self) -> None:
        with suppress(ConnectionError):
            while await self._reader.read(65_536):
                pass
        self.close()


class HostileServer:
    """All hosts on one port, each on an address of its own."""

    def __init__(self, hosts: list[Host], folder: Path) -> None:
        """Prepare the hosts; `folder` is for certificates and logs."""
        self._hosts = hosts
        self._folder = folder
        self.requests: list[tuple[float, str, str]] = []
        self.sent: Counter[str] = Counter()
        self._times: Counter[tuple[str, str]] = Counter()
        self._lags: list[tuple[float, float]] = []

    async def run(self) -> None:
        """Serve all hosts until SIGTERM or SIGINT."""
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        for host in self._hosts:
            host.behaviour.make()
        certificates = Certificates(self._folder)
        port = _free_port()
        servers = [await self._listen(host, port, certificates) for host in self._hosts if host.behaviour.serves]
        print(json.dumps({"port": port}), flush=True)
        ticking = asyncio.create_task(self._tick())
        await stop.wait()
        ticking.cancel()
        for server in servers:
            server.close()
        lines = "".join(json.dumps(request) + "\n" for request in self.requests)
        (self._folder / "requests.jsonl").write_text(lines)
        (self._folder / "server.json").write_text(json.dumps({"sent": self.sent, "lags": self._lags}))

    async def _listen(self, host: Host, port: int, certificates: Certificates) -> asyncio.Server:
        context: ssl.SSLContext | None = None
        kind = host.behaviour.tls
        if kind in ("good", "self-signed", "expired", "other-name", "old-version"):
            context = certificates.context(kind, host.name)

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(OSError, RuntimeError, asyncio.IncompleteReadError):  # RuntimeError: closed, says uvloop
                await self._serve(host, _Exchange(self, host, reader, writer), reader)
            with suppress(OSError, RuntimeError):
                writer.close()

        return await asyncio.start_server(connected, host.address, port, ssl=context, limit=1 << 20, backlog=200)

    async def _serve(self, host: Host, exchange: _Exchange, reader: asyncio.StreamReader) -> None:
        behaviour = host.behaviour
        if behaviour.tls in _HANDSHAKES:
            await _HANDSHAKES[behaviour.tls](exchange)
            return
        if behaviour.at_connect is not None and await behaviour.at_connect(exchange):
            self.requests.append((time.time(), host.name, ""))
            return
        while not exchange.is_over:
            head = await reader.readuntil(b"\r\n\r\n")
            exchange.path = head.split(b" ", 2)[1].decode("latin-1")
            self.requests.append((time.time(), host.name, exchange.path))
            self._times[host.name, exchange.path] += 1
            exchange.times = self._times[host.name, exchange.path]
            await self._handler(host, exchange.path)(exchange)

    def _handler(self, host: Host, path: str) -> Handler:
        behaviour = host.behaviour
        if path == "/robots.txt":
            return behaviour.robots or NO_ROBOTS
        if path in behaviour.odd:
            return behaviour.odd[path]
        if path == "/":
            links = behaviour.odd if behaviour.links is None else behaviour.links
            return _page([*links, *host.good_paths[1:]], "root")
        if path.startswith("/good/") and path in host.good_paths:
            return _page(["/", *host.good_paths[1:]], path)
        return behaviour.any_path or _GONE

    async def _tick(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(_TICK)
            late = time.monotonic() - before - _TICK
            if late > 0.1:
                self._lags.append((time.time(), late))


def _page(links: list[str], title: str) -> Handler:
    data = http(page(_WELCOME, links, title))

    async def send(exchange: Exchange) -> None:
        await exchange.send(data)

    return send


async def _gone(exchange: Exchange) -> None:
    await exchange.send(http("gone", "404 Not Found"))


_GONE: Handler = _gone


async def _plain(exchange: Exchange) -> None:
    await exchange.send(http("<p>this is no TLS"))
    exchange.close()


async def _closes(exchange: Exchange) -> None:
    exchange.close()


async def _rubbish(exchange: Exchange) -> None:
    await exchange.send(bytes(range(256)) * 4)
    exchange.close()


async def _drips(exchange: Exchange) -> None:
    for _ in range(200):  # the beginning of a ServerHello of 16 KB
        await exchange.send(b"\x16\x03\x03\x40\x00"[:1])
        await asyncio.sleep(0.3)


async def _stalls(exchange: Exchange) -> None:
    await exchange.wait_for_client_to_leave()


_HANDSHAKES = {"plain": _plain, "closes": _closes, "rubbish": _rubbish, "drips": _drips, "stalls": _stalls}


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.66.0.1", 0))
        return int(one.getsockname()[1])


def main() -> None:
    """Serve the hosts that the arguments name."""
    folder, *names = sys.argv[1:]
    uvloop.run(HostileServer(chosen_hosts(names=names), Path(folder)).run())


if __name__ == "__main__":
    main()
