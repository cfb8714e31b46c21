"""TLS of the web side of a box: each host by the name in the ClientHello, with its certificate, version and delay.

TLS runs over memory buffers instead of the event loop's own, so that the handshake can be inspected and delayed, and
resumed sessions are known.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Final

from benchmarks.internet.certificates import Certificate, Certificates
from benchmarks.internet.request_log import Arrival, RequestLog
from benchmarks.internet.web_answers import Hosts
from benchmarks.internet.web_chance import draw
from benchmarks.internet.web_connection import Tally, WebConnection
from benchmarks.internet.world import Quirk, TlsKind

_HANDSHAKE_RECORD, _CLIENT_HELLO, _SERVER_NAME = 22, 1, 0
_READ_AT_ONCE: Final = 65_536
_LONGEST_HELLO: Final = 20_000
_TLS_DRAW = 501


def stall_seconds(seed: int, index: int) -> float:
    """How long the handshakes of a host with TlsKind.SLOW stall: 2 to 5 seconds."""
    return 2 + 3 * draw(seed, _TLS_DRAW, index)


def server_name(record: bytes) -> str | None:
    """Return the server name in the first record of a connection.

    It is "" if there is none or the record is no ClientHello, None if the record is incomplete.
    """
    if len(record) < 5:
        return None
    if record[0] != _HANDSHAKE_RECORD:
        return ""
    if len(record) < 5 + int.from_bytes(record[3:5]):
        return None
    hello = record[5 : 5 + int.from_bytes(record[3:5])]
    if not hello or hello[0] != _CLIENT_HELLO:
        return ""
    at = 4 + 2 + 32  # its own head, version, random
    at += 1 + hello[at] if at < len(hello) else 0  # session
    at += 2 + int.from_bytes(hello[at : at + 2])  # cipher suites
    at += 1 + hello[at] if at < len(hello) else 0  # compression
    at += 2
    while at + 4 <= len(hello):
        kind, length = int.from_bytes(hello[at : at + 2]), int.from_bytes(hello[at + 2 : at + 4])
        if kind == _SERVER_NAME:
            size = int.from_bytes(hello[at + 7 : at + 9])
            return hello[at + 9 : at + 9 + size].decode("ascii", "replace").lower()
        at += 4 + length
    return ""


class Contexts:
    """The TLS of all hosts, made as it is needed."""

    def __init__(self, hosts: Hosts, certificates: Certificates) -> None:
        """Start without a context."""
        self._hosts = hosts
        self._certificates = certificates
        self._made: dict[tuple[Certificate, bool], ssl.SSLContext] = {}

    def of(self, name: str) -> tuple[ssl.SSLContext, float] | None:
        """Return what a name is shown, and the delay in seconds; None if it has no TLS."""
        found = self._hosts.names.get(name)
        if found is None:
            return None
        index = found[0]
        host = self._hosts.world.hosts[index]
        if host.tls is TlsKind.NONE and host.quirk is not Quirk.REDIRECTS_TO_TLS:
            return None
        number = self._certificates.of_name[name]
        certificate = {
            TlsKind.EXPIRED: self._certificates.expired[number],
            TlsKind.WRONG_NAME: self._certificates.wrong_name,
            TlsKind.UNKNOWN_CA: self._certificates.unknown_authority[number],
        }.get(host.tls, self._certificates.good[number])
        stall = stall_seconds(self._hosts.world.seed, index) if host.tls is TlsKind.SLOW else 0.0
        return self._context(certificate, host.tls is TlsKind.OLD), stall

    def _context(self, certificate: Certificate, is_old: bool) -> ssl.SSLContext:
        context = self._made.get((certificate, is_old))
        if context is None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.maximum_version = ssl.TLSVersion.TLSv1_2 if is_old else ssl.TLSVersion.TLSv1_3
            context.load_cert_chain(certificate.chain, certificate.key)
            context.set_alpn_protocols(["http/1.1"])
            self._made[certificate, is_old] = context
        return context


class TlsConnection(WebConnection):
    """A connection with TLS."""

    is_tls = True

    def __init__(self, hosts: Hosts, log: RequestLog, tally: Tally, contexts: Contexts) -> None:
        """Start before the handshake."""
        super().__init__(hosts, log, tally)
        self._contexts = contexts
        self._hello = b""
        self._is_chosen = False
        self._is_shaken = False
        self._stall: asyncio.TimerHandle | None = None
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls: ssl.SSLObject | None = None

    def connection_lost(self, error: Exception | None) -> None:
        """Cancel a delay, and log a pending request as lost."""
        if self._stall is not None:
            self._stall.cancel()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Handle bytes from the client: the ClientHello first, then TLS records."""
        if self._tls is not None:
            self._incoming.write(data)
            self._go_on()
            return
        self._hello += data
        if self._is_chosen or (name := server_name(self._hello)) is None:
            if len(self._hello) > _LONGEST_HELLO:
                self.reset()
            return
        self._is_chosen = True
        found = self._contexts.of(name)
        if found is None:
            self._tally.failed_handshakes += 1
            self.reset()
            return
        context, stall = found
        if stall:
            self._stall = self._loop.call_later(stall, self._begin, context)
        else:
            self._begin(context)

    def arrival(self) -> Arrival:
        """Return how the request arrived, such as in a resumed session."""
        if not self._answered and self._tls is not None and self._tls.session_reused:
            return Arrival.RESUMED
        return super().arrival()

    def send(self, data: bytes) -> None:
        """Encrypt and send bytes."""
        assert self._tls is not None
        self._tls.write(data)
        self._flush()

    def close(self) -> None:
        """Close TLS and the connection."""
        if self._tls is not None and self._is_shaken:
            self._unless_failed(self._tls.unwrap)
        super().close()

    def _begin(self, context: ssl.SSLContext) -> None:
        self._stall = None
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._incoming.write(self._hello)
        self._hello = b""
        self._go_on()

    def _go_on(self) -> None:
        assert self._tls is not None
        if not self._is_shaken:
            if not self._unless_failed(self._tls.do_handshake):
                return
            self._is_shaken = True
            self._tally.handshakes += 1
            self._tally.resumed += bool(self._tls.session_reused)
        self._unless_failed(self._read)

    def _read(self) -> None:
        assert self._tls is not None
        while data := self._tls.read(_READ_AT_ONCE):
            self.received(data)
        super().close()  # it has said goodbye

    def _unless_failed(self, act: Callable[[], object]) -> bool:
        """Do something with TLS and send what comes of it; whether it was done, and does not wait for more bytes."""
        try:
            act()
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLError:
            if not self._is_shaken:
                self._tally.failed_handshakes += 1
            self._flush()
            super().close()
            return False
        finally:
            self._flush()
        return True

    def _flush(self) -> None:
        if self._outgoing.pending and not self._transport.is_closing():
            self._transport.write(self._outgoing.read())
