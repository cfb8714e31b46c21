"""A request in flight: which phase it is in, how long the phase may take, and reports of its progress."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, Protocol

from hinterland.crawler.fetching.access.access import NO_ACCESS, Access
from hinterland.crawler.fetching.answers import Connection
from hinterland.crawler.fetching.client.adaptive_timeout import AdaptiveTimeout
from hinterland.crawler.fetching.client.deadline import Deadline, LoopDelays
from hinterland.crawler.fetching.client.families import FamilyPreference
from hinterland.crawler.fetching.client.idle_limits import IdleLimits
from hinterland.crawler.fetching.client.login_peers import LoginPeers
from hinterland.crawler.fetching.client.network_path import NetworkPath
from hinterland.crawler.fetching.client.observation import Observer, PhaseCounts
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.settings import FetchingSettings


class RequestPhase(StrEnum):
    """The phases of a request; the values are the field names of PhaseCounts."""

    NAMING = "naming"
    CONNECTING = "connecting"
    HANDSHAKING = "handshaking"
    AWAITING_FIRST_BYTE = "awaiting_first_byte"
    READING = "reading"
    QUEUED = "queued"


_TIMEOUTS = {
    RequestPhase.NAMING: OutcomeKind.DNS_FAILURE,
    RequestPhase.CONNECTING: OutcomeKind.CONNECT_TIMEOUT,
    RequestPhase.HANDSHAKING: OutcomeKind.TLS_FAILURE,
    RequestPhase.AWAITING_FIRST_BYTE: OutcomeKind.FIRST_BYTE_TIMEOUT,
    RequestPhase.READING: OutcomeKind.BODY_TIMEOUT,
    RequestPhase.QUEUED: OutcomeKind.BODY_TIMEOUT,
}


class Sent(Protocol):
    """The connection on which a request was sent."""

    path: NetworkPath
    connection: Connection

    @property
    def transport(self) -> asyncio.Transport | None:
        """The transport of the connection; None once it is closed."""


class FetcherState:
    """The state shared by all requests of a fetcher: clocks, time limits, and knowledge about hosts and network."""

    def __init__(self, settings: FetchingSettings, observer: Observer, now: Callable[[], float]) -> None:
        """Start with the limits of the settings.

        `now` is the clock of the crawl, by which rests are measured; deadlines use the event loop's clock.
        """
        self.loop = asyncio.get_running_loop()
        self.crawl_clock = now
        self.observer = observer
        self.phases = PhaseCounts()
        self.delays = LoopDelays()
        self.families = FamilyPreference(self.loop.time)
        self.idle_limits = IdleLimits()
        self.login_peers = LoginPeers()
        self.naming_seconds = settings.connect_timeout_seconds
        self.connect = AdaptiveTimeout(settings.connect_timeout_seconds)
        self.handshake = AdaptiveTimeout(settings.tls_timeout_seconds)
        self.first_byte = AdaptiveTimeout(settings.first_byte_timeout_seconds)
        self.body = AdaptiveTimeout(settings.body_timeout_seconds)


class RequestUnderWay:
    """One request in flight; its methods are called at each of its steps. Mutable.

    `deadline` is always the deadline of the present phase.
    """

    __slots__ = (
        "_attempts",
        "_began",
        "_delayed_before",
        "_has_connected",
        "_host_since",
        "_sockets",
        "_state",
        "_waits_since",
        "access",
        "allowed_seconds",
        "deadline",
        "first_byte_seconds",
        "host",
        "is_slow",
        "phase",
        "wire",
    )

    def __init__(self, state: FetcherState, host: str, access: Access = NO_ACCESS) -> None:
        """Start a request to a host, such as "https://a.example", with the access that this request alone has."""
        self.host = host
        self.access = access
        self.deadline = Deadline(state.delays)
        self.phase = RequestPhase.CONNECTING
        self.is_slow = False
        self.wire: Sent | None = None
        self.first_byte_seconds = 0.0
        self._state = state
        self._attempts: list[int] = []
        self._sockets: list[socket.socket] = []
        self._has_connected = False
        self._delayed_before = 0.0
        self._host_since = state.crawl_clock()
        self._waits_since = 0.0
        self._began = self.now
        state.phases.connecting += 1
        self._allow(state.connect.seconds(self._began))

    @property
    def now(self) -> float:
        """The time of the event loop."""
        return self._state.loop.time()

    @property
    def idle_limits(self) -> IdleLimits:
        """The idle limits of connections, shared by all requests."""
        return self._state.idle_limits

    def check_peer(self, transport: asyncio.BaseTransport | None) -> None:
        """Raise ForbiddenAddress if the request must not be sent over this connection."""
        if self.access.login or self.access.networks:
            peer = None if transport is None else transport.get_extra_info("peername")
            self._state.login_peers.check(self.host, self.access, peer[0] if peer else None)

    @property
    def seconds(self) -> float:
        """How long the present phase has lasted."""
        return self.now - self._began

    @property
    def host_seconds(self) -> float:
        """How long the host has worked on this request, in seconds of the crawl's clock.

        This is the time since the request was sent (or, before it is sent, since it was created), minus the time for
        which its large body waited for other bodies.
        """
        return self._state.crawl_clock() - self._host_since

    # ---------------------------------------------------------------- steps

    def lookup_begins(self) -> None:
        """Enter the phase of looking up the name."""
        self._enter(RequestPhase.NAMING)
        self._allow(self._state.naming_seconds)

    def lookup_ends(self) -> None:
        """Enter the phase of connecting."""
        self._enter(RequestPhase.CONNECTING)
        self._allow(self._state.connect.seconds(self._began))

    def attempt_begins(self, family: int) -> None:
        """Note that a connection to an address of this family is about to be tried, perhaps beside other attempts."""
        if self.phase is not RequestPhase.CONNECTING:  # its handshake with another address has failed
            self.lookup_ends()
        self._has_connected = False
        self._attempts.append(family)

    def has_opened(self, sock: socket.socket) -> None:
        """Note the socket that was opened for an attempt to connect."""
        self._sockets.append(sock)

    def socket_of(self, transport: asyncio.BaseTransport) -> socket.socket | None:
        """Return the socket that was opened for this transport; None if it is not known."""
        shown = transport.get_extra_info("socket")
        number = -1 if shown is None else shown.fileno()
        return next((each for each in self._sockets if each.fileno() == number >= 0), None)

    def handshake_begins(self) -> None:
        """Enter the phase of the TLS handshake, once the TCP connection is made."""
        self._connected()
        self._enter(RequestPhase.HANDSHAKING)
        self._allow(self._state.handshake.seconds(self._began))

    def is_connected(self, transport: asyncio.BaseTransport) -> None:
        """Note that the connection is ready, including TLS if it is used."""
        if self.phase is RequestPhase.HANDSHAKING:
            self._state.handshake.succeeded(self.seconds, self.now)
        else:
            self._connected()
        self._compare(transport.get_extra_info("peername"))

    def is_sent(self, wire: Sent) -> None:
        """Note that the request is sent now, on a new or a kept-alive connection."""
        self.wire = wire
        self._host_since = self._state.crawl_clock()
        wire.path.bound_receive_window(wire.transport, self._state.observer.receive_window())
        self._enter(RequestPhase.AWAITING_FIRST_BYTE)
        self._allow(self._state.first_byte.seconds(self._began))

    def is_answered(self) -> None:
        """Note that the head of the answer has been read."""
        self.first_byte_seconds = self.seconds
        self._state.first_byte.succeeded(self.first_byte_seconds, self.now)
        self._enter(RequestPhase.READING)

    def body_is_read(self) -> None:
        """Note that a body that did not arrive together with its head has been read completely."""
        self._state.body.succeeded(self.seconds, self.now)

    def waits_for_others(self) -> None:
        """Suspend the time limit until `goes_on` is called, because other large bodies must be read first."""
        self._state.phases.reading -= 1
        self._state.phases.queued += 1
        self.phase = RequestPhase.QUEUED
        self.deadline.suspend()
        self._waits_since = self._state.crawl_clock()

    def goes_on(self) -> None:
        """Return to the phase of reading."""
        self._state.phases.queued -= 1
        self._state.phases.reading += 1
        self.phase = RequestPhase.READING
        self._host_since += self._state.crawl_clock() - self._waits_since

    def body_begins(self) -> float:
        """Note that the rest of a body is about to be read; return the present time."""
        now = self.now
        self.allowed_seconds = self._state.body.seconds(now)
        self._delayed_before = self._state.delays.seconds
        return now

    def body_may_take(self, begun: float, slow_seconds: float) -> None:
        """Set the deadline of a body.

        `begun` is the time at which the body began, plus the seconds for which the request waited for other bodies. The
        body counts as too slow if no more of it has arrived `slow_seconds` later.
        """
        self.is_slow = slow_seconds < self.allowed_seconds
        delayed = self._state.delays.seconds - self._delayed_before
        self.deadline.allow_until(begun + delayed + min(slow_seconds, self.allowed_seconds))

    def ends(self) -> None:
        """Remove the request from the counts, whatever its result."""
        phases = self._state.phases
        setattr(phases, self.phase, getattr(phases, self.phase) - 1)

    # ---------------------------------------------------------------- what came of it

    @property
    def timed_out(self) -> OutcomeKind:
        """The kind of outcome to report if the deadline passes now."""
        if self.is_slow and self.phase is RequestPhase.READING:
            return OutcomeKind.SLOW_BODY
        return _TIMEOUTS[self.phase]

    def note_timeout(self) -> None:
        """Report to the observer and to the family preference that the deadline has passed."""
        self._state.observer.timed_out(self.host, self.timed_out)
        if self.phase is RequestPhase.HANDSHAKING and len(self._attempts) == 1:
            self._state.families.lost(self._attempts[0], self.host)

    # ---------------------------------------------------------------- inner workings

    def _enter(self, phase: RequestPhase) -> None:
        phases = self._state.phases
        setattr(phases, self.phase, getattr(phases, self.phase) - 1)
        setattr(phases, phase, getattr(phases, phase) + 1)
        self.phase = phase
        self._began = self.now

    def _allow(self, seconds: float) -> None:
        self.allowed_seconds = seconds
        self.deadline.allow(seconds)

    def _connected(self) -> None:
        """Note that a TCP connection was made; further calls for the same connection have no effect."""
        if self._attempts and not self._has_connected:
            self._has_connected = True
            self._state.connect.succeeded(self.seconds, self.now)
            self._state.observer.connected(self.host, self.seconds)

    def _compare(self, peer: Any) -> None:
        """Report to the family preference which address family won, and whether another was tried first."""
        if not peer or not self._attempts:
            return
        family = socket.AF_INET6 if ":" in peer[0] else socket.AF_INET
        if self._attempts[0] != family:
            self._state.families.lost(self._attempts[0], self.host)
        self._state.families.won(family)


under_way: ContextVar[RequestUnderWay | None] = ContextVar("under_way", default=None)
"""The request of a task. aiohttp and the event loop do parts of its work in tasks and callbacks of their own, which
inherit this variable."""
