"""Makes single HTTP requests; the only module that sends requests to the web."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any

import aiohttp
from multidict import CIMultiDict, istr
from yarl import URL

from hinterland.crawler.fetching.access.access import NO_ACCESS, Access, AccessProvider, Asked, ClientCertificate
from hinterland.crawler.fetching.access.proxy_urls import proxy_of
from hinterland.crawler.fetching.access.target import target_of
from hinterland.crawler.fetching.address_guard import AddressGuard
from hinterland.crawler.fetching.answers import PLAIN, Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.aiohttp_parts import check_aiohttp
from hinterland.crawler.fetching.client.body_reader import BodyReader
from hinterland.crawler.fetching.client.connections import KeptConnections
from hinterland.crawler.fetching.client.failed_requests import no_address, no_answer
from hinterland.crawler.fetching.client.failure_text import failure_text
from hinterland.crawler.fetching.client.network_path import set_receive_window
from hinterland.crawler.fetching.client.observation import NO_OBSERVER, Observer, PhaseCounts
from hinterland.crawler.fetching.client.request import FetcherState, RequestUnderWay, under_way
from hinterland.crawler.fetching.client.session_resolver import SessionResolver
from hinterland.crawler.fetching.client.tls import TlsContext, tls_context
from hinterland.crawler.fetching.client.wire import ResponseWire, StaleConnection, mend
from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.fetching.gates.known_fields import FILTER_FIELDS
from hinterland.crawler.fetching.header_fields import (
    codings_of,
    field_lines,
    list_field,
    location_text,
    single_field,
    text_field,
)
from hinterland.crawler.fetching.names.choice import open_lookups
from hinterland.crawler.fetching.names.resolver import (
    ForbiddenAddress,
    NamedAddress,
    NameResolver,
)
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.validators import NO_VALIDATORS, Validators
from hinterland.crawler.settings import FetchingSettings

_FILTER_FIELDS = tuple(map(istr, FILTER_FIELDS))  # as istr, so that aiohttp need not lower their case at each lookup
_ACCEPT = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"
_ACCEPT_MARKDOWN = "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.8,*/*;q=0.1"
_ACCEPT_ENCODING = "gzip, deflate, br, zstd"


class Fetcher:
    """Fetches URLs as the settings say. Use it as an async context manager.

    Every failure that the web can cause is returned as NoAnswer; an exception is a bug. No redirect is followed, no
    cookie is kept, and connections are made only to addresses that the guard allows. The guard checks the address for
    which the socket is opened, whatever URL, redirect or name led to it.

    The AccessProvider is called before each request and returns its credentials, cookies, certificate and proxy.

    If a kept-alive connection turns out to be closed, the request is not sent again here, since the host must rest
    first. The result is a NoAnswer with `is_stale`, and the next request to the host is sent on a new connection.
    """

    def __init__(
        self,
        settings: FetchingSettings,
        user_agent: str,
        now: Callable[[], float],
        wire: type[ResponseWire] = ResponseWire,
        observer: Observer = NO_OBSERVER,
        provider: AccessProvider | None = None,
    ) -> None:
        """Prepare a fetcher.

        `now` is the clock of the crawl. `wire` is the class that reads a connection's bytes. `observer` is called at
        each step of each request. `provider` adds something to single requests, such as credentials; None adds nothing.
        """
        self._settings = settings
        self._wire = wire
        self._observer = observer
        self._now = now
        self._user_agent = user_agent
        self._provider = AccessProvider() if provider is None else provider
        self._without = Access(proxy=proxy_of(settings.proxy)) if settings.proxy else NO_ACCESS
        self._guard = AddressGuard(settings.allow_networks)
        self._certificates: dict[ClientCertificate, TlsContext] = {}
        self._resolver: NameResolver
        self._session: aiohttp.ClientSession
        self._state: FetcherState
        self._closed_before = 0
        self._bodies = BodyReader(settings.body_timeout_seconds)

    async def __aenter__(self) -> Fetcher:
        """Open the session. Raises MissingPackage if this version of aiohttp is not supported."""
        await check_aiohttp()
        settings = self._settings
        self._resolver = NameResolver(
            self._guard,
            open_lookups(settings.lookups),
            fixed=settings.addresses,
            now=self._now,
            patience_seconds=settings.connect_timeout_seconds,
        )
        self._state = FetcherState(settings, self._observer, self._now)
        self._state.delays.start()
        connector = KeptConnections(
            limit=0,
            keepalive_timeout=30.0,
            use_dns_cache=False,  # the resolver has its own, which is bounded
            resolver=SessionResolver(self._resolver, self._state.families),
            ssl=tls_context(settings),
            socket_factory=self._open_socket,
        )
        mend(connector, self._wire)
        accept = _ACCEPT_MARKDOWN if settings.accept_markdown else _ACCEPT
        headers = {"User-Agent": self._user_agent, "Accept": accept, "Accept-Encoding": _ACCEPT_ENCODING}
        if settings.accept_language:
            headers["Accept-Language"] = settings.accept_language
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers=CIMultiDict(headers | dict(settings.headers)),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None),  # each phase has its own: see RequestUnderWay
            max_line_size=16_384,
            max_field_size=65_536,
            max_headers=512,
        )
        self._session._retry_connection = False  # it would also retry on fresh connections, without a rest
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close all connections and lookups."""
        self._state.delays.stop()
        await self._session.close()
        self._resolver.close()

    @property
    def phases(self) -> PhaseCounts:
        """The number of requests in each phase."""
        return self._state.phases

    @property
    def closed_before(self) -> int:
        """The number of requests so far that found their kept-alive connection just closed; see `NoAnswer.is_stale`."""
        return self._closed_before

    @property
    def lookups(self) -> int:
        """The number of names looked up successfully so far."""
        return self._resolver.lookups

    async def resolve(self, host: str, *, is_fresh: bool = False) -> NamedAddress | NoAnswer | None:
        """Return the address whose limits apply to this host ("https://a.example"), or why there is none.

        `is_fresh` requests a new lookup of the name. Returns None if a proxy connects to the host, so that its address
        is unknown here.
        """
        url = URL(host, encoded=True)
        if (proxy := self._asked(f"{host}/", "")[1].proxy) is not None and proxy.looks_up_names:
            return None
        try:
            return await self._resolver.look_up(url.host or "", url.port or 80, is_fresh=is_fresh)
        except OSError as error:
            return no_address(error)

    async def fetch(
        self,
        url: str,
        limits: BodyLimits,
        validators: Validators = NO_VALIDATORS,
        *,
        by: str = "",
        form: str | None = None,
    ) -> Answer | NoAnswer:
        """Make one GET request for a canonical URL.

        `validators` belong to a stored version; the server need not send this version again. `by` is the URL of the
        page whose script makes the request; "" if it is the crawl itself. `form`, if given, is the content of a form,
        which is sent by POST.
        """
        host = "/".join(url.split("/", 3)[:3])
        method = _method(limits, form)
        asked, access = self._asked(url, by, method)
        request = RequestUnderWay(self._state, host, access)
        token = under_way.set(request)
        try:
            async with request.deadline:
                response = await self._session.request(
                    method,
                    URL(url, encoded=True),
                    allow_redirects=False,
                    data=form,
                    **self._given(access, validators, has_form=form is not None),
                )
                request.is_answered()
                if access.login:
                    self._provider.opened(url, access.login)
                try:
                    answer = await self._read(response, limits, request)
                finally:
                    if not response.closed:  # its body has not been read to the end
                        response.release()
            self._observe(answer, request)
            if asked is not None:
                cookies = response.headers.getall("Set-Cookie", ())
                self._provider.answered(asked, response.status, response.headers, cookies)
            return answer
        except StaleConnection as error:
            self._closed_before += 1
            self._state.idle_limits.drop(host, request.now)
            kind = OutcomeKind.DISCONNECTED
            return NoAnswer(kind, failure_text(error), request.host_seconds, is_stale=True)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return no_answer(error, request)
        finally:
            under_way.reset(token)
            request.ends()

    def _asked(self, url: str, by: str, method: str = "GET") -> tuple[Asked | None, Access]:
        """Return the request in the form that the provider takes, and what the provider adds to it."""
        target = target_of(url)
        if target is None:
            return None, self._without
        asker = target_of(by) if by else None
        asked = Asked(target, self._now(), "" if asker is None else asker.origin, method)
        access = self._provider.access(asked)
        if access is NO_ACCESS:
            return asked, self._without
        is_settled = access.proxy is not None or access.is_direct
        return asked, access if is_settled else replace(access, proxy=self._without.proxy)

    def _given(self, access: Access, validators: Validators, *, has_form: bool) -> dict[str, Any]:
        """Return the arguments for aiohttp that apply a request's access and its validators."""
        fields = {**validators.fields(), **dict(access.fields)}
        if has_form:
            fields["Content-Type"] = "application/x-www-form-urlencoded"
        given: dict[str, Any] = {"headers": fields or None}
        if access.certificate is not None:
            given["ssl"] = self._context_with(access.certificate)
        if access.proxy is not None and access.proxy.scheme == "http":
            given["proxy"] = URL(access.proxy.url)
            if access.proxy.user:
                given["proxy_auth"] = aiohttp.BasicAuth(access.proxy.user, access.proxy.password, "utf-8")
        return given

    def _context_with(self, certificate: ClientCertificate) -> TlsContext:
        """Return the TLS context that offers a client certificate. Its connections are not used for other requests."""
        if certificate not in self._certificates:
            self._certificates[certificate] = tls_context(self._settings, certificate)
        return self._certificates[certificate]

    def _observe(self, answer: Answer | NoAnswer, request: RequestUnderWay) -> None:
        if self._observer is NO_OBSERVER or isinstance(answer, NoAnswer):
            return
        wire = request.wire
        rtt = None if wire is None else wire.path.last_round_trip(wire.transport)
        self._observer.answered(
            request.host,
            first_byte_seconds=request.first_byte_seconds,
            body_seconds=request.seconds,
            body_bytes=len(answer.body),
            rtt=rtt,
        )

    async def _read(
        self, response: aiohttp.ClientResponse, limits: BodyLimits, request: RequestUnderWay
    ) -> Answer | NoAnswer:
        fields = response.headers
        content_type = list_field(fields, "Content-Type") or None
        is_wanted = 200 <= response.status < 300 and (
            limits.content_types is None or essence_of(content_type) in limits.content_types
        )
        body, unwanted = b"", b""
        if is_wanted:
            body = await self._bodies.wanted(response.content, limits.max_bytes, request)
            if len(body) > limits.max_bytes and not limits.cut:
                detail = f"more than {limits.max_bytes} bytes as sent"
                return NoAnswer(OutcomeKind.TOO_LARGE, detail, request.host_seconds, response.status)
        else:
            unwanted = await self._bodies.unwanted(response, content_type, limits, request)
        location = single_field(fields, "Location")
        return Answer(
            status=response.status,
            body=body[: limits.max_bytes],
            seconds=request.host_seconds,
            was_skipped=not is_wanted,
            content_type=content_type,
            content_encoding=codings_of(fields),
            location=None if location is None else location_text(location),
            retry_after=text_field(fields, "Retry-After"),
            etag=text_field(fields, "ETag"),
            last_modified=text_field(fields, "Last-Modified"),
            robots_tags=field_lines(fields, "X-Robots-Tag"),
            link_fields=field_lines(fields, "Link"),
            refresh=text_field(fields, "Refresh"),
            date=text_field(fields, "Date"),
            age=text_field(fields, "Age"),
            unwanted=unwanted,
            filter_fields=tuple(
                (name, line) for name in _FILTER_FIELDS if name in fields for line in field_lines(fields, name)
            ),
            sets_cookies="Set-Cookie" in fields,
            login=request.access.login,
            raw_fields=response.raw_headers,
            connection=PLAIN if request.wire is None else request.wire.connection,
        )

    def _open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """Open a socket for the address to which aiohttp is about to connect. Raises ForbiddenAddress."""
        family, kind, protocol, _, address = info
        if (request := under_way.get()) is not None:
            request.attempt_begins(family)
        is_chosen = request is not None and request.access.proxy is not None  # by the user: the address of a proxy
        if not is_chosen and not self._guard.allows(address[0]):
            raise ForbiddenAddress(f"{address[0]} is not allowed by fetching.allow_networks")
        opened = socket.socket(family, kind, protocol)
        if request is not None:
            request.has_opened(opened)
        if (window := self._observer.receive_window()) is not None:
            set_receive_window(opened, window)  # before connecting: a window cannot be withdrawn once it was granted
        return opened


def _method(limits: BodyLimits, form: str | None) -> str:
    return "POST" if form is not None else "HEAD" if limits.without_body else "GET"
