"""Serves a site from a process of its own, which is forked for each visit and inherits the listening sockets."""

from __future__ import annotations

import asyncio
import json
import mmap
import os
import signal
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.crawl_fuzzer.responses import answer
from benchmarks.crawl_fuzzer.site import PORT, Site
from tests.support.web import Connection, Exchange, Handler, LoopbackWeb, Request

_BLOCKS: Final = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as the server saw it; times are those of `time.monotonic`.

    `sent` is the time just before the last bytes of the answer were sent, so no client can have had all of it before.
    """

    host: str
    target: str
    started: float
    sent: float
    status: int


class Addresses:
    """Loopback addresses of one fuzzer, a socket listening at each; the host numbered n of any site is at the n-th."""

    def __init__(self, count: int = 6) -> None:
        """Open sockets on `count` free loopback addresses; exits if there are none."""
        for block in range(os.getpid() % _BLOCKS, os.getpid() % _BLOCKS + _BLOCKS):
            names = [f"127.88.{block % _BLOCKS}.{number}" for number in range(1, count + 1)]
            opened: list[socket.socket] = []
            try:
                opened += (socket.create_server((name, PORT), backlog=256) for name in names)
            except OSError:  # another fuzzer has it
                for each in opened:
                    each.close()
                continue
            self.sockets, self.names = opened, names
            return
        raise SystemExit(f"no loopback addresses are free at port {PORT}")

    def of(self, site: Site) -> dict[str, str]:
        """Return the addresses of a site's hosts, as in the setting fetching.addresses."""
        return {f"{host.name}:{PORT}": self.names[host.address - 1] for host in site.hosts.values()}


class Counters:
    """Numbers that the server shares with the fuzzer: how many requests have come at this visit."""

    def __init__(self) -> None:
        """Start at 0, in memory that forked processes share."""
        self._memory = mmap.mmap(-1, 8)

    @property
    def requests(self) -> int:
        """The number of requests so far."""
        return int(struct.unpack("q", self._memory[:8])[0])

    @requests.setter
    def requests(self, value: int) -> None:
        self._memory[:8] = struct.pack("q", value)


@contextmanager
def serving(site: Site, visit: int, addresses: Addresses, log: Path, counters: Counters) -> Iterator[None]:
    """Serve the site as it is at one visit, in a process, while the block runs."""
    counters.requests = 0
    process = os.fork()
    if not process:
        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(_serve(site, visit, addresses, log, counters))
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)


def seen(log: Path) -> list[Seen]:
    """Return the requests so far, in the order in which they began."""
    if not log.exists():
        return []
    lines = log.read_text(encoding="utf-8").splitlines()
    return sorted((Seen(*json.loads(line)) for line in lines), key=lambda each: each.started)


class _SiteWeb(LoopbackWeb):
    """Answers as the site does."""

    def __init__(self, site: Site, visit: int, log: Path, counters: Counters) -> None:
        super().__init__(port=PORT, clock=time.monotonic, on_finished=self._write)
        self._site, self._visit, self._counters = site, visit, counters
        self._times: Counter[tuple[str, str]] = Counter()
        self._sent: dict[int, float] = {}
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    async def open_at(self, sockets: list[socket.socket]) -> None:
        loop = asyncio.get_running_loop()
        for each in sockets:
            self._servers.append(await loop.create_server(lambda: Connection(self), sock=each.dup()))

    async def respond(self, request: Request, connection: Connection) -> None:
        self._counters.requests += 1
        self._times[request.host, request.path] += 1
        with suppress(OSError, RuntimeError):  # the client has gone
            await super().respond(request, connection)

    def handler(self, host: str, path: str) -> Handler:
        of = self._site.hosts.get(host)
        times = self._times[host, path]

        async def respond(exchange: Exchange) -> None:
            if of is None:
                exchange.reset()
                return
            headers: Mapping[str, str] = exchange.request.headers
            made = answer(self._site, of, path, headers, visit=self._visit, times=times)
            odd = _Odd(exchange, path, times)
            await made(odd)
            self._sent[id(exchange.request)] = odd.sent_at

        return respond

    def _write(self, request: Request) -> None:
        sent = self._sent.pop(id(request), 0.0) or request.started
        line = [request.host, request.path, request.started, sent, request.status]
        os.write(self._log, (json.dumps(line) + "\n").encode())


class _Odd:
    """An exchange as the handlers of the hostile web know it."""

    def __init__(self, exchange: Exchange, path: str, times: int) -> None:
        self._exchange = exchange
        self.path = path
        self.times = times
        self.sent_at = 0.0

    async def send(self, data: bytes) -> None:
        self.sent_at = time.monotonic()
        await self._exchange.send(data)

    def close(self) -> None:
        self._exchange.close()

    def reset(self) -> None:
        self._exchange.reset()

    async def wait_for_client_to_leave(self) -> None:
        await self._exchange.wait_for_client_to_leave()


async def _serve(site: Site, visit: int, addresses: Addresses, log: Path, counters: Counters) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    web = _SiteWeb(site, visit, log, counters)
    await web.open_at(addresses.sockets)
    await stopped.wait()
