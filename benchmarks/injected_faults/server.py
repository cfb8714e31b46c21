"""Serves a faulty site on loopback addresses, by http and https on the same port where a host needs both."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import Counter
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Final

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from benchmarks.injected_faults.site import FaultySite, Reply

_ADDRESSES: Final = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
_TLS_HANDSHAKE: Final = b"\x16"
_PIECE: Final = 65_536
_CERTIFICATE_DAYS: Final = 90
_MISSING: Final = Reply(404, b"<title>Not found</title>nothing")


class SiteServer:
    """Three hosts: `home` and `outside` by http, `secure` by http and https. An asynchronous context manager."""

    def __init__(self) -> None:
        """Bind the addresses, so that the hosts have names before there is a site."""
        self._sockets = [_bound(address) for address in _ADDRESSES]
        self._behind = [_bound(_ADDRESSES[2]) for _ in range(2)]
        self.home, self.outside, secure = (f"http://{_name(each)}" for each in self._sockets)
        self.secure = secure.replace("http", "https", 1)
        self.requests = Counter[tuple[str, str]]()
        """How often each URL was asked for, by method."""
        self._replies: dict[str, Reply] = {}
        self._runner = web.AppRunner(self._application(), access_log=None)
        self._front: asyncio.Server
        self._piping = set[asyncio.Task[None]]()

    def show(self, site: FaultySite) -> None:
        """Serve a site from now on."""
        self._replies = site.sent()

    async def serve(self, certificate: ssl.SSLContext) -> None:
        """Answer requests."""
        await self._runner.setup()
        for bound in self._sockets[:2]:
            await web.SockSite(self._runner, bound).start()
        for bound, context in zip(self._behind, (None, certificate), strict=True):
            await web.SockSite(self._runner, bound, ssl_context=context).start()
        self._front = await asyncio.start_server(self._relayed, sock=self._sockets[2])

    async def __aenter__(self) -> SiteServer:
        """Return the server; `serve` lets it answer."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop answering."""
        self._front.close()
        for task in self._piping:
            task.cancel()
        await asyncio.gather(*self._piping, return_exceptions=True)
        await self._runner.cleanup()

    def _application(self) -> web.Application:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        return application

    async def _answer(self, request: web.Request) -> web.Response:
        url = f"{request.scheme}://{request.host}{request.raw_path}"
        self.requests[request.method, url] += 1
        reply = self._replies.get(url, _MISSING)
        if reply.seconds:
            await asyncio.sleep(reply.seconds)
        return web.Response(
            status=reply.status, body=reply.body, headers={**reply.fields, "Content-Type": reply.content_type}
        )

    async def _relayed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass a connection on to the server that speaks TLS, or to the other one, by its first byte."""
        first = await reader.read(1)
        place = self._behind[first == _TLS_HANDSHAKE].getsockname()
        onward, back = await asyncio.open_connection(*place)
        back.write(first)
        for source, sink in ((reader, back), (onward, writer)):
            task = asyncio.create_task(_piped(source, sink))
            self._piping.add(task)
            task.add_done_callback(self._piping.discard)


async def _piped(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        while piece := await source.read(_PIECE):
            sink.write(piece)
            await sink.drain()
    except ConnectionError:
        pass  # one side has left, and the other one need not know why
    finally:
        sink.close()


def certificate_for(folder: Path, days: int) -> tuple[ssl.SSLContext, Path]:
    """Return what the secure host needs, and the file by which a client trusts it.

    The certificate holds for 90 days, of which this number is left.
    """
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    secret, now = generate_private_key(SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    made = (
        x509.CertificateBuilder(name, name, secret.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(_CERTIFICATE_DAYS - days))
        .not_valid_after(now + timedelta(days))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(_ADDRESSES[2]))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(secret, SHA256())
    )
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    key.write_bytes(secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, certificate


def _bound(address: str) -> socket.socket:
    bound = socket.socket()
    bound.bind((address, 0))
    return bound


def _name(bound: socket.socket) -> str:
    address, port = bound.getsockname()
    return f"{address}:{port}"
