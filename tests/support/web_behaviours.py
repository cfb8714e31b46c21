"""Handlers for tests/support/web.py that are slow, broken or hostile, each in one known way.

They combine: `first_times(2, throttled(503, retry_after="1"), slow_first_byte(0.1, Answer(b"ok")))`.
"""

from __future__ import annotations

import asyncio
import gzip
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from email.utils import formatdate
from time import time
from urllib.parse import parse_qs, urlsplit

import brotli

from tests.support.web import ANY_PATH, Answer, Exchange, Handler, Link, LoopbackWeb

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OK_PAGE = Answer(b"<!doctype html><title>fine</title><p>fine")

# Which answer, and when


def first_times(n: int, handler: Handler, then: Handler) -> Handler:
    """`handler` for the first n requests, `then` for all later ones."""
    asked = 0

    async def choose(exchange: Exchange) -> None:
        nonlocal asked
        asked += 1
        await (handler if asked <= n else then)(exchange)

    return choose


def status(code: int) -> Answer:
    return Answer(f"<title>{code}</title>".encode(), code)


def throttled(code: int, retry_after: str) -> Answer:
    """429 or 503 with Retry-After, which is seconds or an HTTP date (see `http_date`)."""
    return replace(status(code), headers={"Retry-After": retry_after})


def http_date(seconds_from_now: float) -> str:
    return formatdate(time() + seconds_from_now, usegmt=True)


def slow_first_byte(seconds: float, then: Handler) -> Handler:
    async def wait(exchange: Exchange) -> None:
        await asyncio.sleep(seconds)
        await then(exchange)

    return wait


def stall(after: bytes = b"") -> Handler:
    """Send `after`, then nothing, with the connection open, until the client has had enough."""

    async def hang(exchange: Exchange) -> None:
        if after:
            await exchange.send(after)
        await exchange.wait_for_client_to_leave()

    return hang


def dribble(answer: Answer, step_bytes: int = 1, pause: float = 0.01) -> Handler:
    """The head at once, then the body `step_bytes` at a time with a pause in seconds before each."""

    async def trickle(exchange: Exchange) -> None:
        await exchange.send(answer.head())
        for start in range(0, len(answer.body), step_bytes):
            await asyncio.sleep(pause)
            await exchange.send(answer.body[start : start + step_bytes])

    return trickle


# Connections


def raw(data: bytes, *, close: bool = True) -> Handler:
    """These very bytes; then the connection is closed."""

    async def send(exchange: Exchange) -> None:
        await exchange.send(data)
        if close:
            exchange.close()

    return send


async def drop(exchange: Exchange) -> None:
    """Close the connection before any byte of an answer."""
    exchange.close()


async def reset(exchange: Exchange) -> None:
    """Drop the connection with a TCP reset before any byte of an answer."""
    exchange.reset()


def stale_keep_alive(then: Handler) -> Handler:
    """Once: on a connection that was kept alive, close instead of answering, as if it had just timed out."""
    has_dropped = False

    async def answer(exchange: Exchange) -> None:
        nonlocal has_dropped
        if exchange.request.nth > 1 and not has_dropped:
            has_dropped = True
            exchange.close()
        else:
            await then(exchange)

    return answer


# Bodies that end where they should not


def truncated(answer: Answer, missing: int = 10) -> Handler:
    """Content-Length promises `missing` bytes more than come."""
    return raw(answer.head(Content_Length=str(len(answer.body) + missing)) + answer.body)


def surplus_after_close(answer: Answer, surplus: bytes = b"surplus") -> Handler:
    """A whole answer with Connection: close, then bytes that belong to nothing."""
    return raw(answer.head(Connection="close") + answer.body + surplus)


def until_close(answer: Answer) -> Handler:
    """Neither a length nor chunks: the end of the connection is the end of the body."""
    return raw(answer.head(Content_Length="", Connection="close") + answer.body)


def chunked(answer: Answer, chunk_bytes: int = 1000, last_chunk: bytes = b"0\r\n\r\n") -> Handler:
    """A chunked body; another `last_chunk` makes it a broken one (b"" just stops, b"zz\\r\\n" is no size)."""
    parts = (answer.body[start : start + chunk_bytes] for start in range(0, len(answer.body), chunk_bytes))
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + last_chunk
    head = answer.head(Content_Length="", Transfer_Encoding="chunked")
    return raw(head + body, close=last_chunk != b"0\r\n\r\n")


# Content codings


def _zlib(body: bytes, wbits: int) -> bytes:
    compressor = zlib.compressobj(wbits=wbits)
    return compressor.compress(body) + compressor.flush()


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, mtime=0),
    "deflate": lambda body: _zlib(body, zlib.MAX_WBITS),  # what RFC 9110 means: zlib's format
    "raw-deflate": lambda body: _zlib(body, -zlib.MAX_WBITS),  # what some servers mean by deflate
    "br": brotli.compress,
    "zstd": zstd.compress,
}


def encoded(answer: Answer, coding: str) -> Answer:
    """`answer` compressed by one of COMPRESSORS."""
    header = {"Content-Encoding": coding.removeprefix("raw-")}
    return replace(answer, body=COMPRESSORS[coding](answer.body), headers={**answer.headers, **header})


def truncated_gzip(answer: Answer, missing: int = 12) -> Answer:
    """A whole HTTP message whose gzip stream lacks its last bytes: the checksum and a little more."""
    whole = encoded(answer, "gzip")
    return replace(whole, body=whole.body[:-missing])


def gzip_bomb(megabytes: int) -> Answer:
    """A thousandth of the size that it unpacks to."""
    compressor = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    million = b" " * 1_000_000
    body = b"".join(compressor.compress(million) for _ in range(megabytes)) + compressor.flush()
    return Answer(body, headers={"Content-Encoding": "gzip"})


# Sizes


def huge(body_bytes: int, *, announced: bool = True) -> Handler:
    """An HTML body of about `body_bytes`, its length announced or not."""
    paragraph = b"<p>" + b"lorem ipsum " * 5000

    async def send(exchange: Exchange) -> None:
        repeats = max(1, body_bytes // len(paragraph))
        length = str(repeats * len(paragraph)) if announced else ""
        await exchange.send(Answer().head(Content_Length=length, Connection="close"))
        for _ in range(repeats):
            await exchange.send(paragraph)
        exchange.close()

    return send


def header_flood(n: int) -> Answer:
    return replace(OK_PAGE, headers={f"X-Flood-{k}": "x" for k in range(n)})


def long_header(value_bytes: int) -> Answer:
    return replace(OK_PAGE, headers={"X-Long": "x" * value_bytes})


# Character encodings


def in_charset(text: str, charset: str, *, in_header: bool = False, in_meta: bool = False) -> Answer:
    """A page with `text` as title in `charset`, which is declared where it is said to be, if anywhere."""
    meta = f'<meta charset="{charset}">' if in_meta else ""
    content_type = f"text/html; charset={charset}" if in_header else "text/html"
    return Answer(f"<!doctype html>{meta}<title>{text}</title><p>{text}".encode(charset), 200, content_type)


# Pages that are hard on a parser or on a frontier


def nested_divs(depth: int) -> Answer:
    """Parsing takes time quadratic in `depth`: seconds at 40,000."""
    return Answer(b"<!doctype html><title>deep</title>" + b"<div>" * depth)


def many_attributes(n: int) -> Answer:
    """Parsing takes time quadratic in n: seconds at 100,000."""
    return Answer(b"<!doctype html><title>wide</title><p " + b" ".join(b"a%d=1" % k for k in range(n)) + b">")


def spellings_of_itself(web: LoopbackWeb, host: str, path: str) -> str:
    """A page that links to itself in many spellings of its URL; `path` is /directory/name."""
    directory, _, name = path.rpartition("/")
    port = web.port
    first, rest = name[0], name[1:]
    spellings = [
        *(path, name, f"./{name}", "#top", f"{path}#bottom", f"?#{name}", f"{directory}/x/../{name}"),
        *(f"{directory}/./{name}", f"//{host}:{port}{path}", f"HTTP://{host.upper()}:{port}{path}"),
        *(f"http://{host}:{port}/..{path}", f"{directory}/%{ord(first):02x}{rest}", f"  {path}\n", ""),
        f"{path[0]}\t{path[1:]}",
    ]
    anchors = " ".join(f'<a href="{spelling}">again</a>' for spelling in spellings)
    return web.page(host, path, html=f"<!doctype html><title>me</title>{anchors}")


def calendar_trap(web: LoopbackWeb, host: str) -> str:
    """A host without end: each month links to its neighbours and its days. Returns the URL of one."""

    async def month(exchange: Exchange) -> None:
        query = parse_qs(urlsplit(exchange.request.path).query)
        number = int(query.get("month", ["0"])[0])
        links = [f"/calendar?month={number + 1}", f"/calendar?month={number - 1}"]
        links += [f"/calendar?month={number}&day={day}" for day in range(1, 29)]
        anchors = "".join(f'<a href="{link.replace("&", "&amp;")}">{link}</a> ' for link in links)
        await Answer(f"<!doctype html><title>Month {number}</title>{anchors}".encode())(exchange)

    web.answer(host, ANY_PATH, month)
    return web.url(host, "/calendar?month=0")


# Redirects


def redirect_chain(web: LoopbackWeb, hops: Sequence[tuple[str, str]], end: Link, code: int = 302) -> str:
    """Redirects through all of `hops` to `end`; returns the URL of the first."""
    for (host, path), to in zip(hops, [*hops[1:], end], strict=True):
        web.redirect(host, path, to, code)
    return web.url(*hops[0])


def redirect_loop(web: LoopbackWeb, hops: Sequence[tuple[str, str]]) -> str:
    return redirect_chain(web, hops, end=hops[0])


def hops_on(host: str, length: int, path: str = "/hop") -> list[tuple[str, str]]:
    return [(host, f"{path}{k}") for k in range(length)]


def robots_chain(web: LoopbackWeb, hosts: Sequence[str], text: str) -> None:
    """The first host's robots.txt redirects from host to host; the last one has the `text`."""
    redirect_chain(web, [(host, "/robots.txt") for host in hosts[:-1]], (hosts[-1], "/robots.txt"))
    web.robots(hosts[-1], text)


def huge_robots(rules: str, padding_bytes: int) -> bytes:
    """`padding_bytes` of comment lines, then `rules`: what stands beyond 500 KiB need not be read."""
    line = b"# " + b"-" * 97 + b"\n"
    return line * (padding_bytes // len(line)) + rules.encode()


def every_page_breakage() -> Iterator[tuple[str, Handler]]:
    """(name, handler) of ways in which a fetch must fail, soon and without harm to what follows."""
    yield "dropped before any byte", drop
    yield "reset before any byte", reset
    yield "truncated body", truncated(OK_PAGE)
    yield "truncated chunked body", chunked(OK_PAGE, last_chunk=b"")
    yield "chunk size that is none", chunked(OK_PAGE, last_chunk=b"zz\r\n")
    yield "truncated gzip", truncated_gzip(Answer(OK_PAGE.body * 50))
    yield "gzip that is none", replace(OK_PAGE, headers={"Content-Encoding": "gzip"})
    yield "malformed status line", raw(b"HTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    yield "head cut off", raw(b"HTTP/1.1 200 OK\r\nContent-Ty")
    yield "an image", replace(OK_PAGE, content_type="image/png")
    yield "gone", status(410)
    yield "server error", status(500)
