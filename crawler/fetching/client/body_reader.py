"""Reads the bodies of answers within limits of time and size, and also some bodies that are not wanted."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

import aiohttp

from hinterland.crawler.fetching.answers import BodyLimits
from hinterland.crawler.fetching.client.request import RequestUnderWay
from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.fetching.gated_answers import REFUSING

_SMALL: Final = 16_384
"""Unwanted bodies of at most this many bytes are read nevertheless, so that their connections can be kept."""
_DRAIN_SECONDS: Final = 0.5
SLOW_BODY_BYTES_PER_SECOND: Final = 500
"""A body that is slower than this on average is given up: it would keep a connection busy for little data."""
_SLOW_BODY_GRACE_SECONDS: Final = 10.0
"""For how long, from its beginning, a body may be slower than that."""
_LARGE: Final = 131_072
_LARGE_AT_ONCE: Final = 32
"""Maximum number of bodies beyond _LARGE bytes that are read at the same time. With the default limit of 10 MB they
hold at most 320 MB, while thousands of requests may be in flight."""


class BodyReader:
    """Reads the bodies of the answers to one fetcher, at most 32 large bodies at the same time."""

    def __init__(self, body_timeout_seconds: float) -> None:
        """`body_timeout_seconds` is the longest time that a body may take; a slow body is given up earlier."""
        self._grace = min(_SLOW_BODY_GRACE_SECONDS, body_timeout_seconds * 0.75)
        self._large_bodies = asyncio.Semaphore(_LARGE_AT_ONCE)

    async def wanted(self, content: aiohttp.StreamReader, max_bytes: int, request: RequestUnderWay) -> bytes:
        """Return the body as sent, reading little beyond `max_bytes`. Raises TimeoutError if that takes too long."""
        if content.is_eof():  # most bodies are complete when their head has been read
            return content.read_nowait()
        begun = request.body_begins()
        parts: list[bytes] = []
        read = 0
        has_permit = False
        try:
            while read <= max_bytes and not content.at_eof():
                if read > _LARGE and not has_permit:
                    begun += await self._permit_for_large(request)
                    has_permit = True
                slow_seconds = read / SLOW_BODY_BYTES_PER_SECOND
                request.body_may_take(begun, max(self._grace, slow_seconds))
                part = await content.readany()
                parts.append(part)
                read += len(part)
        finally:
            if has_permit:
                self._large_bodies.release()
        request.body_is_read()
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _permit_for_large(self, request: RequestUnderWay) -> float:
        """Wait until another large body may be read; return the duration of the wait in seconds.

        Meanwhile the socket holds the sender back, and no time limit runs.
        """
        if not self._large_bodies.locked():
            await self._large_bodies.acquire()
            return 0.0
        began = request.now
        request.waits_for_others()
        try:
            await self._large_bodies.acquire()
        finally:
            request.goes_on()
        return request.now - began

    async def unwanted(
        self, response: aiohttp.ClientResponse, content_type: str | None, limits: BodyLimits, request: RequestUnderWay
    ) -> bytes:
        """Read an unwanted body if there is a reason to, and return it if it is small; otherwise return b"".

        There are three reasons: an archive records it, the connection can be reused because the body is small, or the
        body may come from a gate (see gates).
        """
        if limits.errors_too and not 200 <= response.status < 300:
            return await _read_along(response.content, limits.max_bytes, request, self._grace)
        if (response.content_length or _SMALL + 1) <= _SMALL:
            return await _drain(response.content, request)
        if response.content_length is None and _may_be_a_gate(response.status, content_type):
            return await _read_along(response.content, _SMALL, request, _DRAIN_SECONDS)
        return b""


async def _drain(content: aiohttp.StreamReader, request: RequestUnderWay) -> bytes:
    """Read and return an unwanted body.

    If the body takes too long, b"" is returned and its connection is closed, but the answer counts. An answer whose
    body breaks off is incomplete and does not count (RFC 9112, section 8).
    """
    if content.is_eof():
        return content.read_nowait()
    request.deadline.suspend()
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            return await content.read()
    return b""


async def _read_along(
    content: aiohttp.StreamReader, max_bytes: int, request: RequestUnderWay, patience: float
) -> bytes:
    """Read a body for the archive, which records all bytes read; return the body if it is small and complete, else b"".

    If the body is late or broken, the answer counts nevertheless. `patience` is in seconds.
    """
    request.deadline.suspend()
    parts, read = [], 0
    with suppress(TimeoutError, aiohttp.ClientPayloadError):
        async with asyncio.timeout(patience):
            while read <= max_bytes and not content.at_eof():
                part = await content.readany()
                read += len(part)
                if read <= _SMALL:
                    parts.append(part)
            return b"".join(parts) if read <= _SMALL else b""
    return b""


def _may_be_a_gate(status: int, content_type: str | None) -> bool:
    """Return whether to read an unwanted body of unknown length, because it may come from a gate (see gates)."""
    return status in REFUSING or (200 <= status < 300 and essence_of(content_type) == "text/html")
