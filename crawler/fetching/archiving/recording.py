"""A connection that keeps a copy of all bytes sent and received, for an archive of the crawl.

aiohttp makes neither the bytes of a request nor the bytes of a response's head and chunks available, so they are copied
here as they pass. Connections of a crawl without an archive are plain ResponseWires, without this cost.
"""

from __future__ import annotations

import asyncio
import re
from contextvars import ContextVar, Token
from typing import Any, Final, cast

from aiohttp.streams import EMPTY_PAYLOAD

from hinterland.crawler.fetching.client.wire import ResponseWire


class Recording:
    """Context manager that records the last request that the task makes inside it, with its response. Mutable."""

    def __init__(self) -> None:
        """Start without a request."""
        self.begin(None)
        self._token: Token[Recording | None]

    def __enter__(self) -> Recording:
        """Record the requests of this task from now on."""
        self._token = _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Record no further requests."""
        _current.reset(self._token)

    def begin(self, address: str | None) -> None:
        """Note that a request is about to be sent to an address, and drop everything recorded before."""
        self.address = address
        self.request = bytearray()
        self.response = bytearray()
        self.head_bytes = 0
        self.is_complete = False
        self._length: int | None = None
        self._is_chunked = False

    def head_read(self, message: Any, has_body: bool) -> None:
        """Note that the bytes received so far are the head of a response; the head of an interim response is dropped.

        Empty lines before the status line, which aiohttp ignores, are dropped as well: they are not part of the
        response, and replay software and other readers of WARC files do not recognise a response that follows them. The
        head of a second response, which nobody asked for, is ignored.
        """
        if self.head_bytes:
            return
        if 100 <= message.code < 200 and message.code != 101:
            self.response.clear()
            return
        self.response = self.response.lstrip(b"\r\n")
        self.head_bytes = len(self.response)
        length = message.headers.get("Content-Length", "")
        self._is_chunked = has_body and message.chunked
        if not has_body:
            self._length = 0
        elif not message.chunked and length.isascii() and length.isdigit():
            self._length = int(length)

    def completed(self) -> None:
        """Note that the whole response has been read."""
        self.is_complete = True

    def whole_response(self) -> bytes:
        """Return head and body, without bytes that a server may have sent after them (RFC 9112, section 6.3)."""
        end = None if self._length is None else self.head_bytes + self._length
        if self._is_chunked and self.is_complete:
            end = _end_of_chunks(self.response, self.head_bytes)
        return bytes(self.response[:end])


def _end_of_chunks(response: bytearray, start: int) -> int | None:
    """Return the end of the chunked body that begins at `start`; None if the body is incomplete."""
    while (size := _CHUNK_SIZE.match(response, start)) is not None:
        length = int(size[1], 16)
        if not length:
            end = _END_OF_TRAILERS.search(response, size.end() - 1)
            return None if end is None else end.end()
        start = response.find(b"\n", size.end() + length) + 1
        if not start:
            return None
    return None


_CHUNK_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,16})[^\n]*\n")
_END_OF_TRAILERS: Final = re.compile(rb"\n\r?\n")


_current: ContextVar[Recording | None] = ContextVar("recording", default=None)


class RecordingWire(ResponseWire):
    """Copies the bytes of a connection to the Recording of the task that made the request."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start without a recording."""
        super().__init__(loop)
        self._recording: Recording | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wrap the transport, so that written bytes are recorded."""
        super().connection_made(cast(asyncio.BaseTransport, _NotingTransport(transport, self)))

    def set_response_params(self, **params: Any) -> None:
        """Begin to record the next request, if the task that makes it is inside a Recording."""
        self._recording = _current.get()
        if self._recording is not None:
            peer = None if self.transport is None else self.transport.get_extra_info("peername")
            self._recording.begin(peer[0] if peer else None)
        super().set_response_params(**params)

    def sent(self, data: Any) -> None:
        """Record bytes of the request."""
        if self._recording is not None:
            self._recording.request += data

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Record that the head of a response has been read and, later, that its body has been read."""
        if self._recording is not None:
            message, body = data
            self._recording.head_read(message, has_body=body is not EMPTY_PAYLOAD)
        super().feed_data(data, size)
        if self._recording is not None:
            data[1].on_eof(self._recording.completed)

    def _parse(self, data: bytes) -> None:
        if self._recording is not None:
            self._recording.response += data
        super()._parse(data)


class _NotingTransport:
    """A transport that reports written bytes to its RecordingWire; it passes all else on to the real transport."""

    def __init__(self, transport: asyncio.BaseTransport, wire: RecordingWire) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._wire = wire
        self.is_closing = self._transport.is_closing  # these are called several times for each request
        self.get_extra_info = self._transport.get_extra_info

    def write(self, data: Any) -> None:
        self._wire.sent(data)
        self._transport.write(data)

    def writelines(self, chunks: Any) -> None:
        self.write(b"".join(chunks))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
