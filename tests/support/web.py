"""A small web on loopback that keeps its own log, for tests of everything that speaks HTTP.

Many virtual hosts, told apart by the Host header, share one port; it can be opened on several addresses
(127.0.0.1, 127.0.0.2, ...). The server works on bare bytes, so a handler may break HTTP wherever it likes;
tests/support/web_behaviours.py has the handlers for that. The log is the server's view of the crawler's manners.

    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/b", ("b.test", "/")])
        ...                                    # crawl with fetching.addresses = web.addresses
        assert web.overlaps() == []

In a process of its own, for tests that kill the crawler: `python -m tests.support.web --help`, or `web_process()`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import random
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from email.utils import formatdate
from html import escape
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import IO, cast

Link = str | tuple[str, str]  # a reference as it stands in the page, or (host, path) of a page of this web
HTML = "text/html; charset=utf-8"
ANY_PATH = "*"  # a path at which a host's handler answers for every path not defined


@dataclass(slots=True)
class Request:
    """One line of the server's log; all times are seconds of the server's clock."""

    host: str  # from the Host header, in lower case and without the port
    path: str  # request target: path and query
    started: float  # when the head of the request had arrived
    finished: float  # when the last byte was handed to the kernel or the client had gone; inf while open
    status: int  # of the answer; 0 if there was none or nothing that looks like one
    connection: int  # number of the connection, from 1
    nth: int  # how many requests this connection had brought, this one included
    address: str  # the server's address that was dialled
    headers: dict[str, str] = field(default_factory=dict)  # names in lower case
    form: str = ""  # what a POST brought
    method: str = "GET"


class Exchange:
    """What a handler has in hand: one request, and the connection to answer it on as it pleases."""

    def __init__(self, web: LoopbackWeb, request: Request, connection: Connection) -> None:
        self.web = web
        self.request = request
        self._connection = connection

    async def send(self, data: bytes) -> None:
        """Write bytes verbatim; waits while the client reads too slowly."""
        if not self.request.status and data.startswith(b"HTTP/1.") and data[9:12].isdigit():
            self.request.status = int(data[9:12])
        await self._connection.send(data)

    def close(self) -> None:
        """Close the connection once what was sent is out (FIN)."""
        self._connection.close()

    def reset(self) -> None:
        """Drop the connection at once (RST)."""
        self._connection.reset()

    async def wait_for_client_to_leave(self) -> None:
        """Never returns: the handler is cancelled when the client closes the connection."""
        await asyncio.Event().wait()


Handler = Callable[[Exchange], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Answer:
    """A well-formed response; calling it sends it, so that an Answer is a Handler."""

    body: bytes = b""
    status: int = 200
    content_type: str | None = HTML
    headers: Mapping[str, str] = field(default_factory=dict)

    def head(self, **more: str) -> bytes:
        """Status line and headers up to the blank line; `more`, with _ for -, is added or replaces."""
        headers = {"Date": formatdate(usegmt=True), "Content-Length": str(len(self.body))}
        if self.content_type is not None:
            headers["Content-Type"] = self.content_type
        headers |= self.headers
        headers |= {name.replace("_", "-"): value for name, value in more.items()}
        lines = [f"HTTP/1.1 {self.status} {_reason(self.status)}"]
        lines += [f"{name}: {value}" for name, value in headers.items() if value]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")

    async def __call__(self, exchange: Exchange) -> None:
        await exchange.send(self.head() + (b"" if exchange.request.method == "HEAD" else self.body))


@dataclass(frozen=True, slots=True)
class Page:
    """An HTML page whose links are written when it is asked for, since (host, path) needs the port."""

    title: str
    links: Sequence[Link]
    status: int
    headers: Mapping[str, str]

    async def __call__(self, exchange: Exchange) -> None:
        await self.answer(exchange.web)(exchange)

    def answer(self, web: LoopbackWeb) -> Answer:
        anchors = (f'<li><a href="{escape(web.reference(link))}">{n}</a></li>' for n, link in enumerate(self.links))
        title = escape(self.title)
        body = f"<!doctype html><title>{title}</title><h1>{title}</h1><ul>{''.join(anchors)}</ul>"
        return Answer(body.encode(), self.status, HTML, self.headers)


class LoopbackWeb:
    """Serves what was defined and logs who asked for it.

    The mutable state is the definitions, which may change while it serves, and `log`, in order of `started`.
    """

    def __init__(
        self,
        *,
        addresses: Sequence[str] = ("127.0.0.1",),
        port: int = 0,
        latency: float = 0.0,
        tls: ssl.SSLContext | None = None,
        on_finished: Callable[[Request], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`latency` seconds pass before each answer; `on_finished` is called with each request that has ended."""
        self.clock = clock
        self.latency = latency
        self.log: list[Request] = []
        self.port = port
        self.addresses: dict[str, str] = {}  # host name -> address, as in a hosts file
        self._listen_on = tuple(addresses)
        self._tls = tls
        self._handlers: dict[tuple[str, str], Handler] = {}
        self._on_finished = on_finished
        self._connections: set[Connection] = set()
        self._connection_numbers = itertools.count(1)
        self._servers: list[asyncio.Server] = []

    # Definitions

    def host(self, host: str, address: str | None = None) -> str:
        """Let `host` be found at one of the addresses listened on (the first unless said)."""
        if address is not None and address not in self._listen_on:
            raise ValueError(f"{address} is not listened on: {self._listen_on}")
        self.addresses[host] = address or self.addresses.get(host, self._listen_on[0])
        return host

    def answer(self, host: str, path: str, handler: Handler) -> str:
        """Any handler at all; ANY_PATH as `path` takes what is not defined otherwise. Returns the URL."""
        self._handlers[self.host(host), path] = handler
        return self.url(host, "/" if path == ANY_PATH else path)

    def page(
        self,
        host: str,
        path: str,
        links: Sequence[Link] = (),
        *,
        title: str = "",
        html: str | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """A page with a list of links, or with the whole document given as `html`."""
        if html is not None:
            return self.answer(host, path, Answer(html.encode(), status, HTML, headers or {}))
        return self.answer(host, path, Page(title or f"{host}{path}", links, status, headers or {}))

    def redirect(self, host: str, path: str, to: Link, status: int = 301) -> str:
        async def handler(exchange: Exchange) -> None:
            await Answer(b"moved", status, headers={"Location": self.reference(to)})(exchange)

        return self.answer(host, path, handler)

    def robots(self, host: str, text: str | bytes, status: int = 200) -> str:
        body = text if isinstance(text, bytes) else text.encode()
        return self.answer(host, "/robots.txt", Answer(body, status, "text/plain"))

    def url(self, host: str, path: str = "/") -> str:
        """Absolute URL; only good once the web is open, unless a port was given."""
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    def reference(self, link: Link) -> str:
        return link if isinstance(link, str) else self.url(*link)

    # What the log shows

    def requests(self, host: str | None = None, path: str | None = None) -> list[Request]:
        """Requests of one host or path; without a path, all but those for robots.txt."""
        return [
            request
            for request in self.log
            if host in (None, request.host)
            and (request.path == path if path is not None else request.path != "/robots.txt")
        ]

    def fetches(self) -> Counter[tuple[str, str]]:
        """How often each (host, path) was asked for, robots.txt left out."""
        return Counter((request.host, request.path) for request in self.requests())

    def overlaps(self) -> list[tuple[Request, Request]]:
        """Pairs of requests that were open at one host at the same time, which politeness forbids."""
        return overlaps(self.log)

    def gaps(self, host: str) -> list[float]:
        """Seconds from the end of each request of a host, robots.txt included, to the start of the next."""
        return gaps([request for request in self.log if request.host == host])

    # Serving

    async def __aenter__(self) -> LoopbackWeb:
        loop = asyncio.get_running_loop()
        sockets = _listen(self._listen_on, self.port)
        self.port = sockets[0].getsockname()[1]
        for listening in sockets:
            self._servers.append(await loop.create_server(lambda: Connection(self), sock=listening, ssl=self._tls))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        for connection in tuple(self._connections):
            connection.reset()
        await asyncio.gather(*(connection.wait_for_end() for connection in tuple(self._connections)))
        self._servers.clear()

    def opened(self, connection: Connection) -> int:
        self._connections.add(connection)
        return next(self._connection_numbers)

    def closed(self, connection: Connection) -> None:
        self._connections.discard(connection)

    async def respond(self, request: Request, connection: Connection) -> None:
        self.log.append(request)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            await self.handler(request.host, request.path)(Exchange(self, request, connection))
        finally:
            request.finished = self.clock()
            if self._on_finished is not None:
                self._on_finished(request)

    def handler(self, host: str, path: str) -> Handler:
        for key in ((host, path), (host, ANY_PATH)):
            if key in self._handlers and (key[1] == path or path != "/robots.txt"):
                return self._handlers[key]
        return Answer(b"not here", 404, "text/plain")


class Connection(asyncio.Protocol):
    """One connection: requests are answered one by one; when the client goes, so does the handler."""

    def __init__(self, web: LoopbackWeb) -> None:
        self._web = web
        self._received = b""
        self._requests = 0
        self._answering: asyncio.Task[None] | None = None
        self._may_write = asyncio.Event()
        self._may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop has classes of its own
        self._transport.set_write_buffer_limits(high=0)  # so that what was sent has left us
        self._address: str = transport.get_extra_info("sockname")[0]
        self._number = self._web.opened(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._answer_next()

    def connection_lost(self, error: Exception | None) -> None:
        self._may_write.set()
        if self._answering is None:
            self._web.closed(self)
        else:
            self._answering.cancel()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    async def send(self, data: bytes) -> None:
        await self._may_write.wait()
        self._transport.write(data)
        await self._may_write.wait()

    def close(self) -> None:
        self._transport.close()

    def reset(self) -> None:
        connected: socket.socket | None = self._transport.get_extra_info("socket")
        if connected is not None and not self._transport.is_closing():
            no_linger = (1).to_bytes(4, sys.byteorder) + (0).to_bytes(4, sys.byteorder)
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, no_linger)
        self._transport.abort()

    async def wait_for_end(self) -> None:
        if self._answering is not None:
            with suppress(asyncio.CancelledError):
                await self._answering

    def _answer_next(self) -> None:
        head, found, rest = self._received.partition(b"\r\n\r\n")
        if found and self._answering is None and not self._transport.is_closing():
            request = self._request(head.decode("latin-1"))
            length = int(request.headers.get("content-length", "0"))
            if len(rest) < length:
                return
            request.form, self._received = rest[:length].decode("latin-1"), rest[length:]
            self._requests += 1
            request.nth = self._requests
            self._answering = asyncio.get_running_loop().create_task(self._web.respond(request, self))
            self._answering.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answering = None
        if not task.cancelled() and (error := task.exception()) is not None:
            self._transport.abort()
            self._web.closed(self)
            raise error
        if self._transport.is_closing():
            self._web.closed(self)
        elif self._wants_close:
            self._transport.close()
        else:
            self._answer_next()

    def _request(self, head: str) -> Request:
        first, *lines = head.split("\r\n")
        method, path, version = first.split(" ")
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        self._wants_close = version == "HTTP/1.0" or headers.get("connection", "").lower() == "close"
        host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
        now = self._web.clock()
        return Request(
            host.lower(), path, now, math.inf, 0, self._number, self._requests, self._address, headers, method=method
        )


def overlaps(log: Iterable[Request]) -> list[tuple[Request, Request]]:
    """Pairs of successive requests of one host of which the second began before the first had ended."""
    found = []
    last: dict[str, Request] = {}
    for request in sorted(log, key=lambda request: request.started):
        before = last.get(request.host)
        if before is not None and request.started < before.finished:
            found.append((before, request))
        if before is None or request.finished > before.finished:
            last[request.host] = request
    return found


def gaps(requests: Iterable[Request]) -> list[float]:
    """Seconds from the end of each request to the start of the next; negative where they overlap."""
    ordered = sorted(requests, key=lambda request: request.started)
    return [after.started - before.finished for before, after in itertools.pairwise(ordered)]


def most_open(requests: Iterable[Request]) -> int:
    """The largest number of requests open at once."""
    changes = [(request.started, 1) for request in requests]
    changes += [(request.finished, -1) for request in requests]
    return max(itertools.accumulate(change for _, change in sorted(changes)), default=0)


# Webs made from graphs


def graph_page(page: int, pages_per_host: int) -> tuple[str, str]:
    """(host, path) of page number `page`: the first `pages_per_host` pages are on h0.test, and so on."""
    return f"h{page // pages_per_host}.test", f"/p{page}"


def web_from_graph(
    sources: Iterable[int],
    targets: Iterable[int],
    n: int,
    pages_per_host: int,
    web: LoopbackWeb | None = None,
) -> LoopbackWeb:
    """A web (not yet open) of the n pages of a graph; its links stand in the order of the graph's."""
    web = web or LoopbackWeb()
    links: defaultdict[int, list[Link]] = defaultdict(list)
    for source, target in zip(sources, targets, strict=True):
        links[int(source)].append(graph_page(int(target), pages_per_host))
    for page in range(n):
        web.page(*graph_page(page, pages_per_host), links[page], title=f"Page {page}")
    return web


def random_graph(seed: int, n: int, links_per_page: int = 6) -> tuple[list[int], list[int]]:
    """A reproducible graph in which every page can be reached from page 0.

    Page p > 0 has a link from some page before it; all other links go anywhere, half of them to one
    of the few pages that everybody links to. Self-links and repeated links occur, as they do on the web.
    """
    choose = random.Random(seed)
    sources = [choose.randrange(page) for page in range(1, n)]
    targets = list(range(1, n))
    popular = max(1, n // 20)
    for page in range(n):
        for _ in range(choose.randrange(2 * links_per_page - 1)):
            sources.append(page)
            targets.append(choose.randrange(popular if choose.random() < 0.5 else n))
    return sources, targets


# A web in a process of its own


@dataclass(frozen=True, slots=True)
class WebProcess:
    """A `python -m tests.support.web` that is running."""

    port: int
    log_path: Path
    hosts: int
    pages_per_host: int

    @property
    def seed(self) -> str:
        return f"http://h0.test:{self.port}/p0"

    @property
    def addresses(self) -> dict[str, str]:
        return {f"h{host}.test": "127.0.0.1" for host in range(self.hosts)}

    def requests(self) -> list[Request]:
        """Requests that have ended; after the block, all of them. On Linux their times compare with ours."""
        return [Request(**json.loads(line)) for line in self.log_path.read_text().splitlines()]


@contextmanager
def web_process(
    log_path: Path, *, graph_seed: int = 0, hosts: int = 5, pages: int = 100, latency_ms: float = 0.0
) -> Iterator[WebProcess]:
    """The random web `graph_seed` of `pages` pages on `hosts` hosts, served until the block ends."""
    command = [sys.executable, "-m", "tests.support.web", "--graph-seed", str(graph_seed), "--hosts", str(hosts)]
    command += ["--pages", str(pages), "--log", str(log_path), "--latency-ms", str(latency_ms)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready = process.stdout.readline().split()
            if ready[:1] != ["ready"]:
                raise RuntimeError(f"the web did not start: {ready}")
            yield WebProcess(int(ready[1]), log_path, hosts, _pages_per_host(pages, hosts))
        finally:
            process.terminate()


async def serve_random_web(
    graph_seed: int, hosts: int, pages: int, port: int, log: IO[str] | None, latency: float
) -> None:
    """Serve until SIGTERM, which ends it with a complete log; prints `ready PORT` when open."""

    def write(request: Request) -> None:
        if log is not None:
            print(json.dumps(asdict(request)), file=log, flush=True)

    web = LoopbackWeb(port=port, latency=latency, on_finished=write)
    web_from_graph(*random_graph(graph_seed, pages), pages, _pages_per_host(pages, hosts), web)
    async with web:
        stopped = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
        print("ready", web.port, flush=True)
        await stopped.wait()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.support.web", description="Serve a reproducible random web on loopback until killed."
    )
    parser.add_argument("--graph-seed", type=int, default=0, help="another number, another web")
    parser.add_argument("--hosts", type=int, default=5, help="h0.test, h1.test, ...")
    parser.add_argument("--pages", type=int, default=100, help="of all hosts together, all reachable from /p0")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--log", type=Path, help="gets one line of JSON for each request")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="before each answer")
    wanted = parser.parse_args()
    with suppress(KeyboardInterrupt):
        log = wanted.log.open("a") if wanted.log else None
        asyncio.run(
            serve_random_web(wanted.graph_seed, wanted.hosts, wanted.pages, wanted.port, log, wanted.latency_ms / 1000)
        )


def _pages_per_host(pages: int, hosts: int) -> int:
    return math.ceil(pages / hosts)


def _reason(status: int) -> str:
    with suppress(ValueError):
        return HTTPStatus(status).phrase
    return "Unknown"


def _listen(addresses: Sequence[str], port: int) -> list[socket.socket]:
    """One listening socket for each address, all on one port; a free one if `port` is 0."""
    for _ in range(20):
        opened: list[socket.socket] = []
        try:
            for address in addresses:
                taken = opened[0].getsockname()[1] if opened else port
                opened.append(socket.create_server((address, taken), backlog=512))
            return opened
        except OSError:  # a port free at the first address may be taken at the next
            for listening in opened:
                listening.close()
            if port:
                raise
    raise OSError(f"no port is free at all of {addresses}")


if __name__ == "__main__":
    main()
