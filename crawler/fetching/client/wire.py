"""aiohttp's reading side of one connection, with five corrections for servers that break HTTP/1.

The parser itself is still aiohttp's (llhttp). aiohttp offers no public way to replace the reading side, so `mend` sets
a private attribute of the connector; `aiohttp_parts` checks that it exists.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from functools import partial
from typing import Any

from aiohttp import BaseConnector, ClientPayloadError, ServerDisconnectedError
from aiohttp.client_proto import ResponseHandler

from hinterland.crawler.fetching.answers import PLAIN, Connection
from hinterland.crawler.fetching.client.framing import with_one_framing
from hinterland.crawler.fetching.client.idle_limits import IdleLimits
from hinterland.crawler.fetching.client.network_path import NetworkPath
from hinterland.crawler.fetching.client.request import under_way
from hinterland.crawler.fetching.client.tls import TlsContext, connection_over
from hinterland.crawler.fetching.header_fields import list_field

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_CHUNK_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})([ \t]*)(;|\r?\n)")
_MAX_CHUNK_SIZE_LINE = 64  # bytes kept of a chunk-size line: the size and what follows directly


class StaleConnection(ServerDisconnectedError):
    """Raised if a kept-alive connection is lost without an answer: the server had closed it before."""


class ResponseWire(ResponseHandler):
    """Feeds a connection's bytes to aiohttp's parser so that complete bodies are kept and broken ones fail immediately.

    1. The head of a response is parsed separately. Otherwise aiohttp drops a response whose head, body and surplus
       bytes arrive together; RFC 9112 section 6.3 lets a client discard only the surplus.
    2. A parse error inside a body reaches the reader of that body immediately; otherwise it would wait for its
       time-out.
    3. White space after a chunk size with no extension is an error (RFC 9112 section 7.1).
    4. If a connection that was used before is lost without a byte of an answer, StaleConnection is raised.
    5. More than one field may say where the body ends (see framing), if the head arrives in one piece.

    Moreover, a connection is not reused if the server is about to close it, according to what is known about the host.
    The wire reports its steps to the request that is `under_way`, and keeps its TLS session when it ends.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start without a request."""
        super().__init__(loop)
        self._in_head = True
        self._end_of_last_data = b""
        self._chunk_sizes: ChunkSizes | None = None
        self._requests = 0
        self.path = NetworkPath()
        self._is_silent = True
        self._host = ""
        self._idle_limits: IdleLimits | None = None
        self._last_data = 0.0
        self._tls: ssl.SSLObject | None = None
        self.connection: Connection = PLAIN

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport, and report to the request that it is connected."""
        super().connection_made(transport)
        self._tls = transport.get_extra_info("ssl_object")
        self.connection = connection_over(self._tls)  # now, since an answer may end the connection
        if (request := under_way.get()) is not None:
            self._host = request.host
            self._idle_limits = request.idle_limits
            self.path.sock = request.socket_of(transport)
            request.is_connected(transport)

    def close(self) -> None:
        """Close the connection, keeping its TLS session."""
        self._keep_session()  # now, since the next connection may not wait until the peer has agreed to the end
        super().close()

    def _keep_session(self) -> None:
        if self._tls is not None and isinstance(self._tls.context, TlsContext):
            self._tls.context.keep_session(self._tls)
            self._tls = None

    @property
    def _is_idle(self) -> bool:
        """Whether the last request has been answered completely."""
        return self._requests > 0 and not self._in_head and (self._payload is None or self._payload.is_eof())

    def is_connected(self) -> bool:
        """Return whether an idle connection may be reused; aiohttp calls this method before each reuse."""
        if not super().is_connected():
            return False
        if self._idle_limits is None or not self._is_idle:
            return True
        return self._idle_limits.may_reuse(self._host, self._last_data, self._loop.time())

    def set_response_params(self, **params: Any) -> None:
        """Prepare for the response to the next request."""
        if (request := under_way.get()) is not None:
            request.is_sent(self)
        self._requests += 1
        self._is_silent = True
        self._in_head = True
        self._end_of_last_data = b""
        self._chunk_sizes = None
        super().set_response_params(**params)

    def feed_data(self, data: Any, size: int = 0) -> None:
        """Receive each (message, body) from aiohttp's parser, once its head has been read."""
        message = data[0]
        # After an interim response, the head of another one follows.
        self._in_head = 100 <= message.code < 200 and message.code != 101
        self._chunk_sizes = ChunkSizes() if message.chunked else None
        if self._idle_limits is not None and (field := list_field(message.headers, "Keep-Alive")):
            self._idle_limits.announced(self._host, field)
        super().feed_data(data, size)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Learn from the loss how long the host keeps idle connections, and end the request that was waiting.

        A request on a stale connection ends with StaleConnection.
        """
        is_stale = self._requests > 1 and self._is_silent and self.exception() is None
        is_by_server = self.transport is not None and not self.should_close  # else it was to be closed anyway
        if self._idle_limits is not None and (is_stale or (self._is_idle and is_by_server)):
            self._idle_limits.closed(self._host, self._loop.time() - self._last_data)
        self._keep_session()
        if is_stale:
            self.set_exception(StaleConnection("the server closed a kept-alive connection"))
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes; the head of a response is parsed separately."""
        self._is_silent = False
        self._last_data = self._loop.time()
        while self._in_head and data:
            window = self._end_of_last_data + data
            end_of_head = _END_OF_HEAD.search(window)
            if end_of_head is None:
                self._end_of_last_data = window[-2:]
                break
            cut = end_of_head.end() - len(self._end_of_last_data)
            self._end_of_last_data = b""
            self._parse(data[:cut])
            data = data[cut:]
            if not data:
                return
        self._parse(data)

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Resume reading if it was paused.

        aiohttp also calls this twice for each body whose reading was never paused. Its own method would then call the
        parser without data.
        """
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def _parse(self, data: bytes) -> None:
        if self._chunk_sizes is not None and not self._chunk_sizes.are_valid_in(data):
            self._fail(ClientPayloadError("White space after a chunk size"))
            return
        super().data_received(with_one_framing(data) if self._in_head else data)
        error = self.exception()
        if error is not None:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        body = self._payload
        if body is not None and not body.is_eof() and body.exception() is None:
            body.set_exception(ClientPayloadError(f"Response body is broken: {error}"), error)
        if self.exception() is None:
            self.set_exception(error)
            if self.transport is not None:
                self.transport.close()


class ChunkSizes:
    """Follows the framing of a chunked body, only to check its chunk-size lines."""

    __slots__ = ("_line", "_skip")

    def __init__(self) -> None:
        """Start before the first chunk-size line."""
        self._line = b""
        self._skip: int | None = 0  # bytes of chunk data before the next size line; None: no more such lines

    def are_valid_in(self, data: bytes) -> bool:
        """Return False if white space without an extension follows a chunk size; the parser finds all other faults."""
        position = 0
        while self._skip is not None:
            if self._skip >= len(data) - position:
                self._skip -= len(data) - position
                return True
            position += self._skip
            self._skip = 0
            newline = data.find(b"\n", position)
            end = len(data) if newline < 0 else newline + 1
            self._line = self._line + data[position : min(end, position + _MAX_CHUNK_SIZE_LINE)]
            self._line = self._line[:_MAX_CHUNK_SIZE_LINE]
            if newline < 0:
                return True
            position = end
            match = _CHUNK_SIZE_LINE.match(self._line)
            self._line = b""
            if match is None:
                self._skip = None
                return True
            size, space, ending = match.groups()
            if space and ending != b";":
                return False
            self._skip = int(size, 16) + 2 if int(size, 16) else None  # + CRLF; after size 0 come trailers
        return True


def mend(connector: BaseConnector, kind: type[ResponseWire] = ResponseWire) -> None:
    """Make all connections that `connector` opens from now on instances of `kind`. Call it in the running loop."""
    loop = asyncio.get_running_loop()

    def wire() -> ResponseHandler:
        return kind(loop)

    connector._factory = partial(wire)
