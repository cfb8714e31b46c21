"""A request under way: which phase it is in, how long that may last, and what is learnt when it ends."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, Protocol

from hinterland.crawler.fetching.client.adaptive_timeout import AdaptiveTimeout
from hinterland.crawler.fetching.client.deadline import Deadline, LoopDelays
from hinterland.crawler.fetching.client.families import FamilyPreference
from hinterland.crawler.fetching.client.idle_limits import IdleLimits
from hinterland.crawler.fetching.client.network_path import NetworkPath
from hinterland.crawler.fetching.client.observation import Observer, PhaseCounts
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.settings import FetchingSettings


class RequestPhase(StrEnum):
    """The steps of a request, by the names that PhaseCounts counts them under."""

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
    """The connection that a request was sent on."""

    path: NetworkPath

    @property
    def transport(self) -> asyncio.Transport | None: ...


class FetcherState:
    """What all requests of a fetcher have in common: the clocks, and what they have learnt of hosts and network."""

    def __init__(self, settings: FetchingSettings, observer: Observer, now: Callable[[], float]) -> None:
        """now: the clock of the crawl, by which rests are measured; deadlines go by the event loop's."""
        self.loop = asyncio.get_running_loop()
        self.crawl_clock = now
        self.observer = observer
        self.phases = PhaseCounts()
        self.delays = LoopDelays()
        self.families = FamilyPreference(self.loop.time)
        self.idle_limits = IdleLimits()
        self.naming_seconds = settings.connect_timeout_seconds
        self.connect = AdaptiveTimeout(settings.connect_timeout_seconds)
        self.handshake = AdaptiveTimeout(settings.tls_timeout_seconds)
        self.first_byte = AdaptiveTimeout(settings.first_byte_timeout_seconds)
        self.body = AdaptiveTimeout(settings.body_timeout_seconds)


class RequestUnderWay:
    """Mutable: one request, told of each step that it takes. `deadline` is always that of its present phase."""

    __slots__ = (
        "_attempts",
        "_began",
        "_delayed_before",
        "_experience",
        "_has_connected",
        "_host_since",
        "_waits_since",
        "allowed_seconds",
        "deadline",
        "first_byte_seconds",
        "host",
        "is_slow",
        "phase",
        "wire",
    )

    def __init__(self, experience: FetcherState, host: str) -> None:
        """host: such as "https://a.example"."""
        self.host = host
        self.deadline = Deadline(experience.delays)
        self.phase = RequestPhase.CONNECTING
        self.is_slow = False
        self.wire: Sent | None = None
        self.first_byte_seconds = 0.0
        self._experience = experience
        self._attempts: list[int] = []
        self._has_connected = False
        self._delayed_before = 0.0
        self._host_since = experience.crawl_clock()
        self._waits_since = 0.0
        self._began = self.now
        experience.phases.connecting += 1
        self._allow(experience.connect.seconds(self._began))

    @property
    def now(self) -> float:
        """The time of the event loop."""
        return self._experience.loop.time()

    @property
    def idle_limits(self) -> IdleLimits:
        return self._experience.idle_limits

    @property
    def seconds(self) -> float:
        """How long the present phase has lasted."""
        return self.now - self._began

    @property
    def host_seconds(self) -> float:
        """How long the host has worked for this request: since it was sent, without the time that its large body waited
        for others; before it was sent, since the beginning. By the clock of the crawl.
        """
        return self._experience.crawl_clock() - self._host_since

    # ---------------------------------------------------------------- steps

    def lookup_begins(self) -> None:
        self._enter(RequestPhase.NAMING)
        self._allow(self._experience.naming_seconds)

    def lookup_ends(self) -> None:
        self._enter(RequestPhase.CONNECTING)
        self._allow(self._experience.connect.seconds(self._began))

    def attempt_begins(self, family: int) -> None:
        """A connection to an address of this family is about to be tried; others may be under way."""
        if self.phase is not RequestPhase.CONNECTING:  # its handshake with another address has failed
            self.lookup_ends()
        self._has_connected = False
        self._attempts.append(family)

    def handshake_begins(self) -> None:
        """There is a TCP connection."""
        self._connected()
        self._enter(RequestPhase.HANDSHAKING)
        self._allow(self._experience.handshake.seconds(self._began))

    def is_connected(self, transport: asyncio.BaseTransport) -> None:
        """There is a connection, with TLS if it is to have that."""
        if self.phase is RequestPhase.HANDSHAKING:
            self._experience.handshake.succeeded(self.seconds, self.now)
        else:
            self._connected()
        self._compare(transport.get_extra_info("peername"))

    def is_sent(self, wire: Sent) -> None:
        """The request goes out now, on a new connection or on one that was kept."""
        self.wire = wire
        self._host_since = self._experience.crawl_clock()
        wire.path.bound_receive_window(wire.transport, self._experience.observer.receive_window())
        self._enter(RequestPhase.AWAITING_FIRST_BYTE)
        self._allow(self._experience.first_byte.seconds(self._began))

    def is_answered(self) -> None:
        """The head of the answer has been read."""
        self.first_byte_seconds = self.seconds
        self._experience.first_byte.succeeded(self.first_byte_seconds, self.now)
        self._enter(RequestPhase.READING)

    def body_is_read(self) -> None:
        """All of a body has been read that did not come with its head."""
        self._experience.body.succeeded(self.seconds, self.now)

    def waits_for_others(self) -> None:
        """Others are to be read first; the time stands still until `goes_on`."""
        self._experience.phases.reading -= 1
        self._experience.phases.queued += 1
        self.phase = RequestPhase.QUEUED
        self.deadline.suspend()
        self._waits_since = self._experience.crawl_clock()

    def goes_on(self) -> None:
        self._experience.phases.queued -= 1
        self._experience.phases.reading += 1
        self.phase = RequestPhase.READING
        self._host_since += self._experience.crawl_clock() - self._waits_since

    def body_begins(self) -> float:
        """More of a body is to come than there is; returns the time."""
        now = self.now
        self.allowed_seconds = self._experience.body.seconds(now)
        self._delayed_before = self._experience.delays.seconds
        return now

    def body_may_take(self, begun: float, slow_seconds: float) -> None:
        """begun: when the body began, were it not for waiting. slow_seconds: after which it has come too slowly, unless
        more comes.
        """
        self.is_slow = slow_seconds < self.allowed_seconds
        delayed = self._experience.delays.seconds - self._delayed_before
        self.deadline.allow_until(begun + delayed + min(slow_seconds, self.allowed_seconds))

    def ends(self) -> None:
        """Whatever came of it."""
        phases = self._experience.phases
        setattr(phases, self.phase, getattr(phases, self.phase) - 1)

    # ---------------------------------------------------------------- what came of it

    @property
    def timed_out(self) -> OutcomeKind:
        """What it is called that the deadline is over."""
        if self.is_slow and self.phase is RequestPhase.READING:
            return OutcomeKind.SLOW_BODY
        return _TIMEOUTS[self.phase]

    def note_timeout(self) -> None:
        """Let others learn that the deadline is over."""
        self._experience.observer.timed_out(self.host, self.timed_out)
        if self.phase is RequestPhase.HANDSHAKING and len(self._attempts) == 1:
            self._experience.families.lost(self._attempts[0], self.host)

    # ---------------------------------------------------------------- inner workings

    def _enter(self, phase: RequestPhase) -> None:
        phases = self._experience.phases
        setattr(phases, self.phase, getattr(phases, self.phase) - 1)
        setattr(phases, phase, getattr(phases, phase) + 1)
        self.phase = phase
        self._began = self.now

    def _allow(self, seconds: float) -> None:
        self.allowed_seconds = seconds
        self.deadline.allow(seconds)

    def _connected(self) -> None:
        """Once for each TCP connection."""
        if self._attempts and not self._has_connected:
            self._has_connected = True
            self._experience.connect.succeeded(self.seconds, self.now)
            self._experience.observer.connected(self.host, self.seconds)

    def _compare(self, peer: Any) -> None:
        """Which family was tried first, and which one was connected to?"""
        if not peer or not self._attempts:
            return
        family = socket.AF_INET6 if ":" in peer[0] else socket.AF_INET
        if self._attempts[0] != family:
            self._experience.families.lost(self._attempts[0], self.host)
        self._experience.families.won(family)


under_way: ContextVar[RequestUnderWay | None] = ContextVar("under_way", default=None)
"""The request of a task. aiohttp and the event loop do parts of it in tasks and callbacks of their own, which inherit
it."""
