"""A web of very many hosts, each at a loopback address of its own, that never runs out of pages.

One process, bytes in and bytes out: no HTTP library, so that it is not what is measured.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import cast

import uvloop

_LINKS = 10
_FIRST = 127 << 24 | 1 << 16  # 127.1.0.0


@dataclass(frozen=True, slots=True)
class Served:
    """What the hosts have seen by the time `at` (monotonic seconds).

    For `shortest_gap` and `shortest_from_after` see benchmarks.many_hosts.Result; `longest_write` is in seconds.
    """

    at: float
    requests: int
    hosts: int
    shortest_gap: float
    shortest_from_after: float
    longest_write: float
    cpu_seconds: float


def address_of(host: int) -> str:
    """Return the address of a host."""
    number = _FIRST + host
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


class Hosts:
    """Mutable: what came to each host, by number, and when."""

    def __init__(self, count: int, kilobytes: int) -> None:
        """Start without requests."""
        self.last_write = [(-math.inf, -math.inf)] * count
        self.requests = 0
        self.hosts = 0
        self.shortest_gap = self.shortest_from_after = math.inf
        self.longest_write = 0.0
        self._filling = b"<p>" + b"one word and another; " * (kilobytes * 1024 // 23)

    def asked(self, host: int, now: float) -> None:
        """Record a request."""
        self.requests += 1
        before, after = self.last_write[host]
        if after == -math.inf:
            self.hosts += 1
        else:
            self.shortest_gap = min(self.shortest_gap, now - before)
            self.shortest_from_after = min(self.shortest_from_after, now - after)

    def answered(self, host: int, before: float, after: float) -> None:
        """Record that the answer was written between these two times."""
        self.last_write[host] = before, after
        self.longest_write = max(self.longest_write, after - before)

    def answer(self, host: int, path: bytes) -> bytes:
        """Return the response to a request."""
        if path == b"/robots.txt":
            return _response(b"text/plain", b"User-agent: *\nDisallow: /private-%d\n" % host)
        page = int(path[1:] or b"0")
        links = b"".join(b'<li><a href="/%d">page %d</a>' % (page + n, page + n) for n in range(1, _LINKS + 1))
        body = b"<!doctype html><title>Page %d of host %d</title><ul>%s</ul>%s" % (page, host, links, self._filling)
        return _response(b"text/html; charset=utf-8", body)

    def served(self) -> Served:
        """Return what the hosts have seen so far."""
        used = time.process_time()
        gaps = self.shortest_gap, self.shortest_from_after, self.longest_write
        return Served(time.monotonic(), self.requests, self.hosts, *gaps, used)


def _response(kind: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (kind, len(body), body)


class _Connection(asyncio.Protocol):
    def __init__(self, hosts: Hosts) -> None:
        self._hosts = hosts
        self._received = b""
        self._first_byte = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        parts = map(int, transport.get_extra_info("sockname")[0].split("."))
        self._host = sum(part << shift for part, shift in zip(parts, (24, 16, 8, 0), strict=True)) - _FIRST

    def data_received(self, data: bytes) -> None:
        if not self._received:
            self._first_byte = time.monotonic()
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head, self._received = self._received[:end], self._received[end + 4 :]
            hosts = self._hosts
            hosts.asked(self._host, self._first_byte)
            answer = hosts.answer(self._host, head.split(b" ", 2)[1])
            before = time.monotonic()
            self._transport.write(answer)
            hosts.answered(self._host, before, time.monotonic())


class Server:
    """The parent's end of a server process."""

    def __init__(self, port: int, pipe: Connection) -> None:
        """Talk to the server's process through a pipe."""
        self.port = port
        self._pipe = pipe

    def served(self) -> Served:
        """Ask the server what its hosts have seen."""
        self._pipe.send(None)
        return cast(Served, self._pipe.recv())


@contextmanager
def serving(hosts: int, kilobytes: int, cpu: int | None) -> Iterator[Server]:
    """Serve `hosts` hosts from a process of its own, pinned to a core unless it is None."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_serve, args=(theirs, hosts, kilobytes, cpu))
    process.start()
    theirs.close()
    try:
        yield Server(ours.recv(), ours)
    finally:
        ours.close()
        process.join()


def _serve(pipe: Connection, hosts: int, kilobytes: int, cpu: int | None) -> None:
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    uvloop.run(_listen(pipe, Hosts(hosts, kilobytes)))


async def _listen(pipe: Connection, hosts: Hosts) -> None:
    """Serve until the parent hangs up, and tell what was served whenever it asks."""
    loop, is_over = asyncio.get_running_loop(), asyncio.Event()

    def asked() -> None:
        try:
            pipe.recv()
            pipe.send(hosts.served())
        except (EOFError, OSError):
            is_over.set()

    server = await loop.create_server(lambda: _Connection(hosts), "0.0.0.0", 0, backlog=4096)
    loop.add_reader(pipe.fileno(), asked)
    pipe.send(server.sockets[0].getsockname()[1])
    await is_over.wait()
    loop.remove_reader(pipe.fileno())
    server.close()
