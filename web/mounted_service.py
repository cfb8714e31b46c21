"""Serves an ASGI application at one path, under the same access rules as all pages.

Each answer is sent as a whole; services that stream their answers are not supported.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from aiohttp import web

from hinterland.web.site import SITE

Message = MutableMapping[str, Any]
_BODY_SECONDS: Final = 30.0
_VERSION: Final = {"version": "3.0", "spec_version": "2.3"}


class MountedService(Protocol):
    """An ASGI application that answers POST requests at one path."""

    path: str

    async def __call__(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        """Answer a request."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager in which requests can be answered. The same task must enter and leave it."""


def mount(app: web.Application, service: MountedService) -> None:
    """Add the route of a service to an application; the service runs as long as the application.

    Requests from pages of other origins, which a browser marks by Origin, are refused. Otherwise a page that a user
    visits could send requests to a server on the user's machine.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        if not _is_own_origin(request):
            return web.Response(status=403, text="This server answers to no pages of other origins.\n")
        return await _answered(service, request)

    async def running(_: web.Application) -> AsyncIterator[None]:
        started, ended = asyncio.Event(), asyncio.Event()

        async def run() -> None:
            async with service.running():
                started.set()
                await ended.wait()

        task = asyncio.create_task(run())
        await started.wait()
        yield
        ended.set()
        await task

    app.router.add_post(service.path, answer)
    app.cleanup_ctx.append(running)


def _is_own_origin(request: web.Request) -> bool:
    origin = request.headers.get("Origin")
    own = (request.host, urlsplit(request.app[SITE].base_url).netloc)
    return origin is None or (bool(name := urlsplit(origin).netloc) and name in own)


async def _answered(service: MountedService, request: web.Request) -> web.Response:
    """Return the answer of a service to a request."""
    body: bytes | None = await _body(request)
    status, headers, parts = 500, list[tuple[str, str]](), bytearray()
    is_over = asyncio.Event()

    async def receive() -> Message:
        nonlocal body
        if body is None:
            await is_over.wait()
            return {"type": "http.disconnect"}
        sent, body = body, None
        return {"type": "http.request", "body": sent, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            headers.extend((name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"])
        elif message["type"] == "http.response.body":
            parts.extend(message.get("body", b""))

    await service(_scope(request), receive, send)
    is_over.set()
    kept = [(name, value) for name, value in headers if name.lower() != "content-length"]
    return web.Response(status=status, headers=kept, body=bytes(parts))


async def _body(request: web.Request) -> bytes:
    """Return the body of a request; the server limits its length. Raises HTTPRequestTimeout."""
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            return await request.read()
    except TimeoutError:
        raise web.HTTPRequestTimeout from None


def _scope(request: web.Request) -> Message:
    return {
        "type": "http",
        "asgi": _VERSION,
        "http_version": f"{request.version.major}.{request.version.minor}",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.raw_path.partition("?")[0].encode("ascii", "replace"),
        "query_string": request.query_string.encode("utf-8", "replace"),
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": None,
        "server": None,
    }
