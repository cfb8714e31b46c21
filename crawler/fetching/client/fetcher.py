"""One HTTP request at a time: the only module that sends anything to the web."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from types import TracebackType
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from multidict import CIMultiDict
from yarl import URL

from crawler.fetching.address_guard import AddressGuard
from crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from crawler.fetching.client.connections import KeptConnections
from crawler.fetching.client.failure_text import failure_text
from crawler.fetching.client.name_resolution import (
    ForbiddenAddress,
    NameNotFound,
    NameResolver,
    look_up_took_longer,
)
from crawler.fetching.client.wire import ResponseWire, StaleConnection, mend, on_request
from crawler.fetching.content_type import essence_of
from crawler.fetching.gated_answers import REFUSING
from crawler.fetching.header_fields import field_text, location_text
from crawler.fetching.outcomes import OutcomeKind
from crawler.fetching.validators import NO_VALIDATORS, Validators
from crawler.gates.known_fields import FILTER_FIELDS
from crawler.settings import FetchingSettings

_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"
_ACCEPT_ENCODING = "gzip, deflate, br, zstd"
_SMALL = 16_384
"""An unwanted body of at most this many bytes is read all the same, so that its connection can be kept."""
_DRAIN_SECONDS = 0.5


class Fetcher:
    """Fetches URLs with the settings given. Use as an async context manager.

    Everything the web can do to a request is returned as NoAnswer; what is raised is a bug. No redirect is
    followed, no cookie kept (unless settings say so), and no address dialled that the guard does not allow:
    the check is made on the address the socket is opened for, whatever URL, redirect or name led to it.
    A request whose kept-alive connection turns out to be closed is sent once more.
    """

    def __init__(
        self,
        settings: FetchingSettings,
        user_agent: str,
        now: Callable[[], float],
        wire: type[ResponseWire] = ResponseWire,
    ) -> None:
        """wire: what a connection's bytes are read by."""
        self._settings = settings
        self._wire = wire
        self._now = now
        self._user_agent = user_agent
        self._proxy = URL(settings.proxy) if settings.proxy else None
        # With a proxy it is the proxy's address that is dialled, and that one was chosen by the user.
        self._guard = AddressGuard(("0.0.0.0/0", "::/0") if self._proxy else settings.allow_networks)
        self._resolver = NameResolver(
            self._guard,
            fixed=settings.addresses,
            cache_seconds=settings.dns_cache_seconds,
            cache_size=settings.dns_cache_size,
            now=now,
            patience_seconds=settings.connect_timeout_seconds,
        )
        self._session: aiohttp.ClientSession

    async def __aenter__(self) -> Fetcher:
        settings = self._settings
        connector = KeptConnections(
            limit=0,
            keepalive_timeout=30.0,
            use_dns_cache=False,  # the resolver has its own, which is bounded
            resolver=_SessionResolver(self._resolver),
            ssl=_tls_context(settings),
            socket_factory=None if self._proxy else self._open_socket,
        )
        mend(connector, self._wire)
        headers = {"User-Agent": self._user_agent, "Accept": _ACCEPT, "Accept-Encoding": _ACCEPT_ENCODING}
        if settings.accept_language:
            headers["Accept-Language"] = settings.accept_language
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers=CIMultiDict(headers | dict(settings.headers)),
            cookie_jar=aiohttp.CookieJar(unsafe=True) if settings.cookies else aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=settings.connect_timeout_seconds),
            max_line_size=16_384,
            max_field_size=65_536,
            max_headers=512,
        )
        self._session._retry_connection = False  # it would also retry on fresh connections, without a rest
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._session.close()

    @property
    def lookups(self) -> int:
        """Names that the system has looked up successfully."""
        return self._resolver.lookups

    async def resolve(self, host: str, *, is_fresh: bool = False) -> str | NoAnswer | None:
        """The address that requests to this host ("https://a.example") dial first. is_fresh: do not ask the cache.

        None if that is not known here, because a proxy does the dialling.
        """
        if self._proxy is not None:
            return None
        url = URL(host, encoded=True)
        try:
            found = await self._resolver.resolve(url.host or "", url.port or 80, is_fresh=is_fresh)
        except OSError as error:
            return _no_answer(_kind_of(error) or OutcomeKind.DNS_FAILURE, error, failure_text(error), 0.0)
        return found[0].address

    async def fetch(self, url: str, limits: BodyLimits, validators: Validators = NO_VALIDATORS) -> Answer | NoAnswer:
        """Make one GET request for a canonical URL. validators: of the version that need not be sent again."""
        condition = validators.fields()
        try:
            return await self._fetch_once(url, limits, condition)
        except StaleConnection:
            pass
        try:
            return await self._fetch_once(url, limits, condition)
        except StaleConnection as error:
            return NoAnswer(OutcomeKind.DISCONNECTED, failure_text(error), 0.0)

    async def _fetch_once(self, url: str, limits: BodyLimits, condition: dict[str, str]) -> Answer | NoAnswer:
        settings = self._settings
        request = _Request(self._now(), asyncio.get_running_loop().time, settings.first_byte_timeout_seconds)
        token, told = _under_way.set(request), on_request.set(request.is_sent)
        try:
            async with asyncio.timeout(settings.connect_timeout_seconds) as request.timeout:
                response = await self._session.get(
                    URL(url, encoded=True), allow_redirects=False, proxy=self._proxy, headers=condition or None
                )
                try:
                    return await self._read(response, limits, request)
                finally:
                    response.release()
        except StaleConnection:
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            kind = _kind_of(error) or request.phase
            detail = self._patience_with(kind, url) if isinstance(error, TimeoutError) else failure_text(error)
            return _no_answer(kind, error, detail, self._now() - request.started)
        finally:
            on_request.reset(told)
            _under_way.reset(token)

    def _patience_with(self, kind: OutcomeKind, url: str) -> str:
        """What it was that took too long, and how long that is."""
        settings = self._settings
        match kind:
            case OutcomeKind.CONNECT_TIMEOUT:
                return f"no connection within {settings.connect_timeout_seconds:g} s"
            case OutcomeKind.DNS_FAILURE:
                return f"{URL(url, encoded=True).host}: {look_up_took_longer(settings.connect_timeout_seconds)}"
            case OutcomeKind.SLOW_BODY:
                return f"the body came slower than {settings.slow_body_bytes_per_second} bytes per second"
            case OutcomeKind.BODY_TIMEOUT:
                return f"the body took more than {settings.body_timeout_seconds:g} s"
        return f"no answer within {settings.first_byte_timeout_seconds:g} s of the request"

    async def _read(
        self, response: aiohttp.ClientResponse, limits: BodyLimits, request: _Request
    ) -> Answer | NoAnswer:
        fields = response.headers
        content_type = _text(", ".join(fields.getall("Content-Type", ())) or None)
        is_wanted = 200 <= response.status < 300 and (
            limits.content_types is None or essence_of(content_type) in limits.content_types
        )
        body, unwanted = b"", b""
        if is_wanted:
            body = await self._read_body(response.content, limits.max_bytes, request)
            if len(body) > limits.max_bytes and not limits.cut:
                detail = f"more than {limits.max_bytes} bytes as sent"
                seconds = self._now() - request.started
                return NoAnswer(OutcomeKind.TOO_LARGE, detail, seconds, response.status)
        elif limits.errors_too and not 200 <= response.status < 300:
            patience = self._settings.slow_body_grace_seconds
            unwanted = await _read_along(response.content, limits.max_bytes, request, patience)
        elif (response.content_length or _SMALL + 1) <= _SMALL:
            unwanted = await _drain(response.content, request)
        elif response.content_length is None and _may_be_a_gate(response.status, content_type):
            unwanted = await _read_along(response.content, _SMALL, request, _DRAIN_SECONDS)
        location = fields.get("Location")
        return Answer(
            status=response.status,
            body=body[: limits.max_bytes],
            seconds=self._now() - request.started,
            was_skipped=not is_wanted,
            content_type=content_type,
            content_encoding=field_text(fields.get("Content-Encoding", "")),
            location=None if location is None else location_text(location),
            retry_after=_text(fields.get("Retry-After")),
            etag=_text(fields.get("ETag")),
            last_modified=_text(fields.get("Last-Modified")),
            robots_tags=tuple(map(field_text, fields.getall("X-Robots-Tag", ()))),
            link_fields=tuple(map(field_text, fields.getall("Link", ()))),
            date=_text(fields.get("Date")),
            age=_text(fields.get("Age")),
            unwanted=unwanted,
            filter_fields=tuple((name, field_text(fields[name])) for name in FILTER_FIELDS if name in fields),
        )

    async def _read_body(self, content: aiohttp.StreamReader, max_bytes: int, request: _Request) -> bytes:
        """The body as sent; stops soon after max_bytes, or when the patience with this body is at its end."""
        if content.is_eof():  # most bodies are complete when their head has been read
            return content.read_nowait()
        settings = self._settings
        begun = request.clock()
        parts: list[bytes] = []
        read = 0
        while read <= max_bytes and not content.at_eof():
            request.be_patient_until(
                begun + settings.body_timeout_seconds,
                begun + max(settings.slow_body_grace_seconds, read / (settings.slow_body_bytes_per_second or 1e-9)),
            )
            part = await content.readany()
            parts.append(part)
            read += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """The last word on what is dialled: called with the very address that is about to be connected to."""
        family, kind, protocol, _, address = info
        if not self._guard.allows(address[0]):
            raise ForbiddenAddress(f"{address[0]} is not allowed by fetching.allow_networks")
        return socket.socket(family, kind, protocol)


class _Request:
    """The mutable state of one request: when it began, and what has run out if its time is up."""

    __slots__ = ("_first_byte_seconds", "clock", "phase", "started", "timeout")

    def __init__(self, started: float, clock: Callable[[], float], first_byte_seconds: float) -> None:
        self.started = started
        self.clock = clock
        self.phase = OutcomeKind.CONNECT_TIMEOUT
        self.timeout: asyncio.Timeout
        self._first_byte_seconds = first_byte_seconds

    def is_sent(self) -> None:
        """A connection is there, and the request goes out now."""
        self.phase = OutcomeKind.FIRST_BYTE_TIMEOUT
        self.timeout.reschedule(self.clock() + self._first_byte_seconds)

    @contextmanager
    def looking_up(self) -> Iterator[None]:
        self.phase = OutcomeKind.DNS_FAILURE
        yield
        self.phase = OutcomeKind.CONNECT_TIMEOUT

    def be_patient_until(self, whole_body: float, slow_body: float) -> None:
        self.phase = OutcomeKind.BODY_TIMEOUT if whole_body <= slow_body else OutcomeKind.SLOW_BODY
        self.timeout.reschedule(min(whole_body, slow_body))


_under_way: ContextVar[_Request | None] = ContextVar("under_way", default=None)
"""The request of a task; aiohttp looks names up in tasks of its own, which inherit it."""


async def _drain(content: aiohttp.StreamReader, request: _Request) -> bytes:
    """Read and return a body that nobody wants; if it is late, it costs its connection and nothing else.

    One that breaks off makes the message incomplete, and that is no answer (RFC 9112, section 8).
    """
    if content.is_eof():
        return content.read_nowait()
    request.timeout.reschedule(None)
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            return await content.read()
    return b""


async def _read_along(content: aiohttp.StreamReader, max_bytes: int, request: _Request, patience: float) -> bytes:
    """Read a body for those who listen at the wire, and return it if it is small and whole; if it comes late or
    broken, the answer stands all the same. patience: in seconds."""
    request.timeout.reschedule(None)
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
    """Whether a body of unknown length is worth a look although nobody wants it."""
    return status in REFUSING or (200 <= status < 300 and essence_of(content_type) == "text/html")


class _SessionResolver(AbstractResolver):
    """What aiohttp asks for addresses."""

    def __init__(self, resolver: NameResolver) -> None:
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        request = _under_way.get()
        with nullcontext() if request is None else request.looking_up():
            found = await self._resolver.resolve(host, port)
        return [
            ResolveResult(
                hostname=host,
                host=each.address,
                port=port,
                family=each.family,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for each in found
        ]

    async def close(self) -> None:
        pass


def _tls_context(settings: FetchingSettings) -> ssl.SSLContext | bool:
    """aiohttp has made the usual context on import already; making another takes 30 ms."""
    if settings.verify_tls and settings.ca_file:
        return ssl.create_default_context(cafile=settings.ca_file)
    return settings.verify_tls


def _text(value: str | None) -> str | None:
    return None if value is None else field_text(value)


_KINDS: tuple[tuple[type[BaseException], OutcomeKind | None], ...] = (
    (ForbiddenAddress, OutcomeKind.FORBIDDEN_ADDRESS),
    (NameNotFound, OutcomeKind.DNS_FAILURE),
    (aiohttp.ClientConnectorDNSError, OutcomeKind.DNS_FAILURE),
    (aiohttp.ClientSSLError, OutcomeKind.TLS_FAILURE),
    (aiohttp.ServerFingerprintMismatch, OutcomeKind.TLS_FAILURE),
    (aiohttp.ConnectionTimeoutError, OutcomeKind.CONNECT_TIMEOUT),
    (aiohttp.SocketTimeoutError, OutcomeKind.FIRST_BYTE_TIMEOUT),
    (aiohttp.ClientConnectorError, OutcomeKind.CONNECT_FAILURE),
    (aiohttp.ClientHttpProxyError, OutcomeKind.CONNECT_FAILURE),
    (aiohttp.ClientResponseError, OutcomeKind.BAD_RESPONSE),
    (aiohttp.InvalidURL, OutcomeKind.BAD_RESPONSE),
    (aiohttp.ClientPayloadError, OutcomeKind.TRUNCATED),
    (aiohttp.ServerDisconnectedError, OutcomeKind.DISCONNECTED),
    (TimeoutError, None),  # our own: what has run out depends on how far the request had come
    (ssl.SSLError, OutcomeKind.TLS_FAILURE),
    (aiohttp.ClientOSError, OutcomeKind.DISCONNECTED),
    (OSError, OutcomeKind.CONNECT_FAILURE),
    (Exception, OutcomeKind.BAD_RESPONSE),
)
"""Most specific first."""


def _kind_of(error: BaseException) -> OutcomeKind | None:
    inner = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(inner, ForbiddenAddress):
        return OutcomeKind.FORBIDDEN_ADDRESS
    return next(kind for types, kind in _KINDS if isinstance(error, types))


_NO_WAY = (errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL)


def _no_answer(kind: OutcomeKind, error: BaseException, detail: str, seconds: float) -> NoAnswer:
    inner = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    is_late_look_up = isinstance(error, TimeoutError) and kind is OutcomeKind.DNS_FAILURE
    is_no_way = isinstance(inner, OSError) and inner.errno in _NO_WAY
    is_ours = getattr(inner, "is_ours", False) or is_late_look_up or is_no_way
    return NoAnswer(kind, detail, seconds, is_ours=is_ours, is_final=getattr(inner, "is_final", False))
