"""Compression and entity tags of responses.

Responses are compressed for clients that accept gzip, and a client that has the current version gets 304 instead. The
plain and the compressed form of a response are two representations (RFC 9110, 8.8.3): each has an entity tag of its
own, and Vary says that the choice depends on Accept-Encoding.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

LEAST_BYTES: Final = 1_000
"""Shorter responses are not compressed, since they hardly become shorter."""
_LEVEL: Final = 6
_IN_A_THREAD: Final = 64_000
"""Number of bytes from which compression runs in a thread rather than in the event loop."""
_NEVER: Final = "text/event-stream"
_COMPRESSIBLE: Final = ("application/json", "application/xml", "application/javascript", "image/svg+xml")
_KEPT_IN_304: Final = ("Cache-Control", "ETag", "Vary", "Expires", "Content-Location")


def takes_gzip(fields: Iterable[str]) -> bool:
    """Return whether Accept-Encoding header lines accept gzip and do not prefer the plain form."""
    weights: dict[str, float] = {}
    for each in ",".join(fields).split(","):
        name, *parameters = (part.strip().lower() for part in each.split(";"))
        if name:
            weights[name.removeprefix("x-") if name == "x-gzip" else name] = _weight(parameters)
    of_gzip = weights.get("gzip", weights.get("*", 0.0))
    return of_gzip > 0 and of_gzip >= weights.get("identity", 0.0)


def _weight(parameters: Iterable[str]) -> float:
    """Return the q value among the parameters: 1 if there is none, 0 if it is invalid."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                weight = float(value)
            except ValueError:
                return 0.0
            return weight if 0.0 <= weight <= 1.0 else 0.0
    return 1.0


def is_compressible(content_type: str) -> bool:
    """Return whether the type is textual.

    A stream of events is excluded, since a compressor would delay the events.
    """
    if content_type == _NEVER:
        return False
    return content_type.startswith("text/") or content_type.endswith(("+json", "+xml")) or content_type in _COMPRESSIBLE


def matches(field: str, tag: str) -> bool:
    """Return whether an If-None-Match field contains the entity tag or `*` (RFC 9110, 13.1.2: weak comparison)."""
    named = [each.strip().removeprefix("W/") for each in field.split(",")]
    return tag in named or "*" in named


@web.middleware
async def compressing(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Compress complete responses, and answer 304 if the client has the current version.

    Handlers that send a response in pieces call `compress_pieces` instead.
    """
    response = await handler(request)
    if not isinstance(response, web.Response) or response.prepared or "Content-Encoding" in response.headers:
        return response
    body = response.body
    if not isinstance(body, bytes) or not body:
        return response
    is_worth_it = len(body) >= LEAST_BYTES and is_compressible(response.content_type)
    is_gzip = is_worth_it and _asks_for_gzip(request)
    if is_worth_it:
        _vary(response)
    if response.status == 200 and request.method in ("GET", "HEAD") and "ETag" not in response.headers:
        tag = f'"{hashlib.sha256(body).hexdigest()[:20]}{"-gzip" if is_gzip else ""}"'
        response.headers["ETag"] = tag
        if matches(",".join(request.headers.getall("If-None-Match", ())), tag):
            kept = {name: response.headers[name] for name in _KEPT_IN_304 if name in response.headers}
            return web.Response(status=304, headers=kept)
    if is_gzip:
        response.body = await _compressed(body)
        response.headers["Content-Encoding"] = "gzip"
    return response


def compress_pieces(request: web.Request, response: web.StreamResponse) -> None:
    """Compress a streamed response if the client accepts it; call this before the first piece is sent."""
    _vary(response)
    if _asks_for_gzip(request):
        response.enable_compression(web.ContentCoding.gzip)


async def _compressed(body: bytes) -> bytes:
    """Return the compressed body, without a timestamp, so that equal bodies stay equal."""
    if len(body) < _IN_A_THREAD:
        return gzip.compress(body, _LEVEL, mtime=0)
    return await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0)


def _asks_for_gzip(request: web.Request) -> bool:
    return takes_gzip(request.headers.getall("Accept-Encoding", ()))


def _vary(response: web.StreamResponse) -> None:
    named = response.headers.get("Vary")
    if named is None or "accept-encoding" not in named.lower():
        response.headers["Vary"] = "Accept-Encoding" if named is None else f"{named}, Accept-Encoding"
