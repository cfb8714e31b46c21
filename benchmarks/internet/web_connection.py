"""A connection to the web side of a box: HTTP/1.1 read and written without a library, which would be the brake."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, cast

from benchmarks.internet.request_log import Arrival, RequestLog
from benchmarks.internet.web_answers import Asked, Hosts, Keeping, Reply
from benchmarks.internet.world import Quirk

_REASONS: Final = {status.value: status.phrase for status in HTTPStatus}
_LONGEST_HEAD: Final = 65_536
_CUT_AFTER: Final = 0.05
"""Seconds between the first half of a body and the reset, so that it is on its way."""
_BODYLESS: Final = (204, 304)
_RESET_AT_ONCE: Final = struct.pack("ii", 1, 0)


@dataclass(slots=True)
class Tally:
    """What the web side counts.

    `bad` requests were not understood; `unknown` ones were for hosts that do not exist. `cpu_seconds` is the CPU time
    of its process.
    """

    connections: int = 0
    handshakes: int = 0
    resumed: int = 0
    failed_handshakes: int = 0
    bad: int = 0
    unknown: int = 0
    cpu_seconds: float = 0.0


class WebConnection(asyncio.Protocol):
    """A connection without TLS. It answers one request after the other."""

    is_tls = False

    def __init__(self, hosts: Hosts, log: RequestLog, tally: Tally) -> None:
        """Start without a request."""
        self._hosts = hosts
        self._log = log
        self._tally = tally
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._answered = 0
        self._timer: asyncio.TimerHandle | None = None
        self._is_writing = False
        self._is_over = False
        self._pending: _Pending | None = None
        self._reset_at: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(0)
        self._address: str = transport.get_extra_info("sockname")[0]
        self._tally.connections += 1

    def connection_lost(self, error: Exception | None) -> None:
        """Log a pending request as lost."""
        self._is_over = True
        self._stop_timer()
        if (pending := self._pending) is not None:
            self._pending = None
            status = 0 if pending.reply is None or not pending.has_begun else -pending.reply.status
            self._note(pending, status, time.monotonic() if self._reset_at is None else self._reset_at)

    def pause_writing(self) -> None:
        """Note that the kernel's buffer is full."""
        self._is_writing = True

    def resume_writing(self) -> None:
        """Log the answer that is now written."""
        self._is_writing = False
        if (pending := self._pending) is not None and pending.is_written:
            self._ended(pending, time.monotonic())

    def data_received(self, data: bytes) -> None:
        """Handle bytes from the client."""
        self.received(data)

    def received(self, data: bytes) -> None:
        """Take bytes of requests."""
        self._buffer += data
        if self._pending is None:
            self._next_request()

    def arrival(self) -> Arrival:
        """Return the kind of connection by which the next request comes."""
        return Arrival.REUSED if self._answered else Arrival.NEW

    def send(self, data: bytes) -> None:
        """Write bytes of an answer."""
        self._transport.write(data)

    def close(self) -> None:
        """Close the connection once all is written."""
        self._transport.close()

    def reset(self) -> None:
        """End the connection with a reset."""
        if (plug := self._transport.get_extra_info("socket")) is not None:
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_ONCE)
        self._reset_at = time.monotonic()
        self._transport.abort()

    def _next_request(self) -> None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _LONGEST_HEAD:
                self._refuse()
            return
        head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
        self._stop_timer()
        now = time.monotonic()
        lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        method, _, rest = lines[0].partition(" ")
        target, _, version = rest.rpartition(" ")
        if method not in ("GET", "HEAD") or not target.startswith("/") or not version.startswith("HTTP/1."):
            self._refuse()
            return
        authority = fields.get("host", "").lower()
        found = self._hosts.names.get(authority.partition(":")[0])
        if found is None:
            self._tally.unknown += 1
            self.send(b"HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self.close()
            return
        index, is_www = found
        host = self._hosts.world.hosts[index]
        if host.quirk in (Quirk.DOWN, Quirk.BLACK_HOLE):
            self.reset()
            return
        asked = Asked(index, target, is_www, self.is_tls, fields.get("cookie", ""), fields.get("if-none-match", ""))
        pending = _Pending(
            f"{'https' if self.is_tls else 'http'}://{authority}",
            target,
            now,
            self.arrival(),
            self._hosts.keeping(index),
            method == "HEAD",
            wants_close=fields.get("connection", "").lower() == "close",
        )
        self._pending = pending
        pending.reply = reply = self._hosts.reply(asked, now, time.time())
        if reply.delay > 0:
            self._timer = self._loop.call_later(reply.delay, self._answer, pending, reply)
        else:
            self._answer(pending, reply)

    def _refuse(self) -> None:
        self._tally.bad += 1
        self.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        self.close()

    def _answer(self, pending: _Pending, reply: Reply) -> None:
        self._timer = None
        self._answered += 1
        pending.has_begun = True
        keeping = pending.keeping
        pending.is_last = pending.wants_close or self._answered == keeping.requests
        message = message_of(reply, keeping, is_head=pending.is_head, is_last=pending.is_last)
        if reply.cut_at is not None and not pending.is_head:
            self.send(message[: len(message) - len(reply.body) + reply.cut_at])
            self._timer = self._loop.call_later(_CUT_AFTER, self.reset)
            return
        before = time.monotonic()  # nobody can have the answer before; after it, we may not be running for a while
        self.send(message)
        pending.is_written = True
        if not self._is_writing:
            self._ended(pending, before)

    def _ended(self, pending: _Pending, now: float) -> None:
        assert pending.reply is not None
        self._pending = None
        self._note(pending, pending.reply.status, now)
        if pending.is_last:
            self.close()
            return
        self._timer = self._loop.call_later(pending.keeping.idle_seconds, self.close)
        if self._buffer:
            self._next_request()

    def _note(self, pending: _Pending, status: int, now: float) -> None:
        retry_after = pending.reply.retry_after if pending.reply is not None and status > 0 else 0
        self._log.note(
            pending.received,
            now,
            pending.host,
            self._address,
            pending.path,
            status,
            pending.arrival,
            retry_after,
        )

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@dataclass(slots=True)
class _Pending:
    """A request that is being answered. is_last: of its connection."""

    host: str
    path: str
    received: float
    arrival: Arrival
    keeping: Keeping
    is_head: bool
    wants_close: bool
    reply: Reply | None = None
    has_begun: bool = False
    is_written: bool = False
    is_last: bool = False


def message_of(reply: Reply, keeping: Keeping, *, is_head: bool, is_last: bool) -> bytes:
    """Return an answer as it is sent; after the last one, the connection is closed."""
    version = "1.0" if keeping.is_http_1_0 else "1.1"
    head = [f"HTTP/{version} {reply.status} {_REASONS.get(reply.status, 'Unknown')}"]
    head += (f"{name}: {value}" for name, value in reply.fields)
    body = reply.body
    if keeping.is_http_1_0:
        pass  # its body ends with the connection
    elif reply.is_chunked:
        head.append("Transfer-Encoding: chunked")
        half = len(body) // 2
        body = (
            b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:]) if part) + b"0\r\n\r\n"
        )
    elif reply.status not in _BODYLESS:
        head.append(f"Content-Length: {len(body)}")
    if keeping.says_so and is_last:
        head.append("Connection: close")
    elif keeping.says_so:
        limit = "" if keeping.requests is None else f", max={keeping.requests}"
        head.append(f"Keep-Alive: timeout={keeping.idle_seconds:.0f}{limit}")
        head.append("Connection: Keep-Alive")
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + (b"" if is_head else body)
