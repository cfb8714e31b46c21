"""What a hostile host does: its odd answers, and the good pages that a crawl must find beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol

HTML: Final = "text/html; charset=utf-8"


class Exchange(Protocol):
    """One request, and the connection to answer it on."""

    path: str
    times: int
    """How often this path of this host has been asked for, this time included."""

    async def send(self, data: bytes) -> None:
        """Send bytes."""

    def close(self) -> None:
        """Close the connection after what was sent."""

    def reset(self) -> None:
        """Reset the connection."""

    async def wait_for_client_to_leave(self) -> None:
        """Wait until the client closes the connection."""


Handler = Callable[[Exchange], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One host. odd: path -> what it does there. robots: None for a 404. good: how many good pages the root links to.

    links: what the root links to besides; the odd paths if None. expected: path -> the outcome in the store. forbidden:
    paths that must not be asked for. tls: the kind of its TLS endpoint (see `tls`), "" for plain HTTP. serves: whether
    anybody listens. address: if it is not one of the server's. seeds: paths, absolute ones may name other schemes.
    """

    name: str
    odd: Mapping[str, Handler] = field(default_factory=dict)
    robots: Handler | None = None
    good: int = 3
    links: Sequence[str] | None = None
    expected: Mapping[str, str] = field(default_factory=dict)
    forbidden: Sequence[str] = ()
    tls: str = ""
    serves: bool = True
    address: str = ""
    any_path: Handler | None = None
    """The answer for all other paths; without it they are 404."""
    at_connect: Callable[[Exchange], Awaitable[bool]] | None = None
    """Called for each connection before anything is read of it; True if that was all."""

    def make(self) -> None:
        """Make what is made late, so that no request waits for it."""
        for handler in (self.robots, *self.odd.values()):
            if isinstance(handler, MadeLate):
                _ = handler.handler


# --- answers ------------------------------------------------------------------------------------


def http(
    body: bytes | str = b"",
    status: str = "200 OK",
    fields: Iterable[bytes | str] = (),
    *,
    content_type: str | None = HTML,
    length: int | None = None,
) -> bytes:
    """Return a response as it goes over the wire.

    `length` is the Content-Length that it claims, if that is not the truth.
    """
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}".encode()]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}".encode("latin-1"))
    lines.append(b"Content-Length: %d" % (len(data) if length is None else length))
    lines += [each.encode("latin-1") if isinstance(each, str) else each for each in fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + data


def raw(data: bytes, *, close: bool = False) -> Handler:
    """Return a handler that sends exactly these bytes and may then end the connection."""

    async def send(exchange: Exchange) -> None:
        await exchange.send(data)
        if close:
            exchange.close()

    return send


def said(body: bytes | str = b"", status: str = "200 OK", fields: Iterable[bytes | str] = (), **more: Any) -> Handler:
    """Return a handler that sends a response; `more` are options of `http`."""
    return raw(http(body, status, fields, **more))


class MadeLate:
    """An answer that takes long to make: a server makes it before it starts, and a listing never makes it."""

    def __init__(self, make: Callable[[], Handler]) -> None:
        """Start without the answer; `make` creates it."""
        self._make = make

    @cached_property
    def handler(self) -> Handler:
        """The answer, made at the first use."""
        return self._make()

    async def __call__(self, exchange: Exchange) -> None:
        """Send the answer."""
        await self.handler(exchange)


def page(body: str = "", links: Iterable[str] = (), title: str = "odd") -> str:
    """Return an HTML page with this text and these links."""
    anchors = " ".join(f'<a href="{link}">{link[:40]}</a>' for link in links)
    return f"<!doctype html><html lang=en><title>{title}</title><body><p>{body}</p>{anchors}</body></html>"


def slowly(parts: Iterable[bytes], seconds: float) -> Handler:
    """Return a handler that sends chunk after chunk, with a pause before each."""

    async def send(exchange: Exchange) -> None:
        for part in parts:
            await asyncio.sleep(seconds)
            await exchange.send(part)

    return send


def stall(after: bytes = b"") -> Handler:
    """Nothing more, with the connection open."""

    async def hang(exchange: Exchange) -> None:
        if after:
            await exchange.send(after)
        await exchange.wait_for_client_to_leave()

    return hang


def reset(after: bytes = b"") -> Handler:
    """Return a handler that resets the connection, perhaps after some bytes."""

    async def send(exchange: Exchange) -> None:
        if after:
            await exchange.send(after)
            await asyncio.sleep(0.02)
        exchange.reset()

    return send


def at_first(times: int, handler: Handler, then: Handler) -> Handler:
    """Return a handler: `handler` for the first requests of a path, `then` for later ones."""

    async def choose(exchange: Exchange) -> None:
        await (handler if exchange.times <= times else then)(exchange)

    return choose


def made(make: Callable[[str], bytes | str]) -> Handler:
    """Return a handler that makes a page from its path."""

    async def send(exchange: Exchange) -> None:
        await exchange.send(http(make(exchange.path)))

    return send


OK: Final = said(page("fine"))
NO_ROBOTS: Final = said("none", "404 Not Found", content_type="text/plain")
