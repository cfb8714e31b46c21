"""The ideal schedule: what a crawl with unlimited room could reach that knows every latency of a world. Pure.

A simulation of events. All hosts are known from the beginning, and each is visited as soon as politeness allows: its
robots.txt first, then its pages, over connections that are kept as long as the host keeps them. Names are looked up
beside each other, once each.

What a visit costs, with R = round-trip time + mean jitter, p = loss of one way, q = 1 - (1 - p)^2:

- a new connection: R, and if SYN or SYN-ACK are lost 1 s, 2 s, 4 s more (Linux): q + 2 q^2 + 4 q^3 s;
- TLS on it: R (1.3, or 1.2 resumed) or 2 R (1.2), and for each flight q times a retransmission timer, R + 0.2 s
  (Linux: RTO = smoothed RTT + at least 200 ms); a host that stalls adds its stall;
- the request: R + time to the first byte + q times a retransmission timer;
- the body: n segments of 1,448 bytes from an initial window of ten, doubled each round trip: ceil(log2(n / 10 + 1)) - 1
  further R (a connection that was idle begins again, as with Cubic or Reno); a lost segment costs R by fast
  retransmission, the last one 2 R by a tail loss probe: p R (n + 1);
- 429 and 503: the rest after a failure, doubled each time, or what Retry-After asks for; a reset costs no more than an
  answer, and the page is fetched again;
- the link: all bodies under way share it equally.

A rest of delay_factor times the download counts what the crawler sees of it: from the request to the last byte, losses
included, as nobody there can tell a lost packet from a slow host.

Losses enter as their expectation, so the schedule is smooth where the box is not. Out of reach are hosts whose name has
no answer, that are down or a black hole, or whose certificate is not good. IPv6 that does not work costs nothing: a
crawl that knows this takes IPv4 at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from typing import Final

from benchmarks.internet.ideal_costs import HEAD_BYTES, body, connecting, losses, round_trip
from benchmarks.internet.ideal_link import SharedLink
from benchmarks.internet.manners import Politeness
from benchmarks.internet.pages import number_of, path_of
from benchmarks.internet.web_answers import ROBOTS_PATH, Asked, Hosts, Keeping, patience_of
from benchmarks.internet.web_chance import first_byte_seconds, page_bytes
from benchmarks.internet.web_robots import robots_of
from benchmarks.internet.web_tls import stall_seconds
from benchmarks.internet.world import Host, NameKind, Path, Quirk, TlsKind, World

_HANDSHAKE_BYTES: Final = 3_000
_PACKET_SHARE: Final = 1.06
"""What a byte costs with the heads of its packets, and the acknowledgements of others."""
_PRELIMINARY: Final = 6
"""Visits until a host that redirects twice shows a page: robots.txt and root of http, https and www."""
_REACHABLE_NAMES: Final = (NameKind.ANSWERED, NameKind.TRUNCATED)
_UNREACHABLE: Final = (Quirk.DOWN, Quirk.BLACK_HOLE)
_PLAIN: Final = (Quirk.NONE, Quirk.HTTP_1_0, Quirk.FEW_REQUESTS, Quirk.IDLE_CLOSE, Quirk.REDIRECTS_TO_TLS)
_BAD_TLS: Final = (TlsKind.EXPIRED, TlsKind.WRONG_NAME, TlsKind.UNKNOWN_CA)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Seconds from the beginning, ascending: when each page had come, when each host was first asked for a page."""

    pages: list[float]
    reached: list[float]

    def pages_by(self, seconds: float) -> int:
        """Return how many pages were fetched by then."""
        return bisect_left(self.pages, seconds)

    def hosts_by(self, seconds: float) -> int:
        """Return how many hosts had received a request for a page by then."""
        return bisect_left(self.reached, seconds)

    def rate(self, begin: float, end: float) -> float:
        """Pages a second in a window."""
        return (self.pages_by(end) - self.pages_by(begin)) / (end - begin)


def lives(world: World, host: Host) -> bool:
    """Whether a host can be reached: its name, its machine and its certificate are good."""
    return (
        world.resolver_works
        and host.resolved.kind in _REACHABLE_NAMES
        and host.quirk not in _UNREACHABLE
        and host.tls not in _BAD_TLS
    )


def ideal_schedule(
    world: World, politeness: Politeness, seconds: float, *, pages_a_second: float = inf, link_is_used: bool = True
) -> Schedule:
    """Simulate a crawl of all hosts for some seconds. pages_a_second: what the crawler's machine can do at most."""
    simulation = _Simulation(world, politeness, pages_a_second, world.link.down_bits if link_is_used else 0.0)
    simulation.run(seconds)
    return Schedule(sorted(simulation.pages), sorted(simulation.reached))


@dataclass(slots=True)
class _State:
    """What the crawl knows of a host.

    left: pages to fetch; preliminary: visits that bring none; setup_seconds: a stall of its handshake; losses: of one
    flight; is_plain: it answers every request as usual; shaking_bytes: of a handshake, which pass the link with the
    next body.
    """

    host: Host
    path: Path
    keeping: Keeping
    left: float
    preliminary: int
    crawl_delay: float
    setup_seconds: float
    losses: float
    is_plain: bool
    has_session: bool = False
    idle_since: float = -inf
    on_connection: int = 0
    visits: int = 0
    failures: int = 0
    shaking_bytes: int = 0


@dataclass(slots=True)
class _Machine:
    next_start: float = 0.0
    open: int = 0
    parked: deque[int] = field(default_factory=deque)


class _Sizes:
    """Pages that are no more than their size."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._bytes = bytes(1 << 20)

    def page(self, index: int, path: str) -> bytes | None:
        host = self._world.hosts[index]
        number = number_of(path)
        return None if number is None else self._bytes[: page_bytes(self._world.seed, index, host, number)]


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer; `size` is that of the body in bytes, `delay` until the first byte; a cut one was reset midway."""

    status: int
    size: int
    delay: float
    retry_after: int = 0
    is_cut: bool = False


_START, _START_RESERVED, _ARRIVE, _PASSED = range(4)


class _Simulation:
    def __init__(self, world: World, politeness: Politeness, pages_a_second: float, down_bits: float) -> None:
        self.pages: list[float] = []
        self.reached: list[float] = []
        self._politeness = politeness
        self._page_seconds = 1 / pages_a_second
        self._link = SharedLink(down_bits / 8 / _PACKET_SHARE) if down_bits else None
        self._link_changes = 0
        self._machine_free = 0.0
        urls = [world.host_url(host) for host in world.hosts]
        self._hosts = Hosts(world, _Sizes(world), urls, [f"https://{host.name}/" for host in world.hosts])
        self._states = [
            _state(world, index, host, self._hosts.keeping(index)) for index, host in enumerate(world.hosts)
        ]
        self._machines = [_Machine() for _ in world.machines]
        self._world = world
        self._answers: dict[int, _Answer] = {}
        self._events: list[tuple[float, int, int]] = []
        for index, state in enumerate(self._states):
            if lives(world, state.host):
                heappush(self._events, (state.host.resolved.seconds, index, _START))

    def run(self, seconds: float) -> None:
        events = self._events
        while events and events[0][0] < seconds:
            now, index, kind = heappop(events)
            if kind == _ARRIVE:
                self._arrive(index, now)
            elif kind == _PASSED:
                self._passed(index, now)
            else:
                self._start(index, now, is_reserved=kind == _START_RESERVED)

    def _start(self, index: int, now: float, *, is_reserved: bool) -> None:
        state = self._states[index]
        machine, politeness = self._machines[state.host.machine], self._politeness
        if not is_reserved:
            begin = max(now, machine.next_start)
            machine.next_start = begin + politeness.address_delay_seconds
            begin = max(begin, self._machine_free)
            self._machine_free = begin + self._page_seconds if self._page_seconds else 0.0
            if begin > now:
                heappush(self._events, (begin, index, _START_RESERVED))
                return
        if politeness.address_connections and machine.open >= politeness.address_connections:
            machine.parked.append(index)
            return
        machine.open += 1
        self._visit(index, state, now)

    def _visit(self, index: int, state: _State, now: float) -> None:
        is_new = now - state.idle_since >= state.keeping.idle_seconds or state.on_connection == state.keeping.requests
        there_and_back = round_trip(state.path)
        asked_at = now
        if is_new:
            asked_at += connecting(state.host, state.path, state.has_session) + state.setup_seconds
            state.has_session = True
            state.on_connection = 0
            state.shaking_bytes = 0 if state.host.tls is TlsKind.NONE else _HANDSHAKE_BYTES
        state.on_connection += 1
        is_page = state.preliminary == 0
        if is_page and not state.visits:
            self.reached.append(asked_at + there_and_back / 2)
        if is_page and state.is_plain:
            answer = self._plain_answer(index, state)
        else:
            answer = self._other_answer(index, state, path_of(state.visits) if is_page else ROBOTS_PATH, asked_at)
        self._answers[index] = answer
        arrival = asked_at + there_and_back + answer.delay + state.losses + body(state.path, answer.size)
        heappush(self._events, (arrival, index, _ARRIVE))

    def _plain_answer(self, index: int, state: _State) -> _Answer:
        """Return the next page of a host without quirks: what `Hosts` would say, but faster."""
        seed, host, number = self._world.seed, state.host, state.visits
        delay = first_byte_seconds(seed, index, host, number + 1)
        return _Answer(200, page_bytes(seed, index, host, number), delay)

    def _other_answer(self, index: int, state: _State, path: str, asked_at: float) -> _Answer:
        redirects = state.host.quirk is Quirk.REDIRECTS_TO_TLS
        asked = Asked(index, path, is_www=redirects, is_tls=redirects or state.host.tls is not TlsKind.NONE)
        reply = self._hosts.reply(asked, asked_at + round_trip(state.path) / 2, 0.0)
        return _Answer(reply.status, len(reply.body), reply.delay, reply.retry_after, reply.cut_at is not None)

    def _arrive(self, index: int, now: float) -> None:
        """Handle the last byte of an answer reaching the link."""
        if self._link is None:
            self._end(index, now)
            return
        state = self._states[index]
        self._link.begin(index, self._answers[index].size + HEAD_BYTES + state.shaking_bytes, now)
        state.shaking_bytes = 0
        self._await_link(self._link)

    def _await_link(self, link: SharedLink) -> None:
        self._link_changes += 1
        if (at := link.next_end()) is not None:
            heappush(self._events, (at, self._link_changes, _PASSED))

    def _passed(self, change: int, now: float) -> None:
        """Handle a body that has passed the link, unless something has changed there since the prediction."""
        if self._link is not None and change == self._link_changes:
            self._end(self._link.ended(now), now)
            self._await_link(self._link)

    def _end(self, index: int, now: float) -> None:
        state, answer = self._states[index], self._answers.pop(index)
        state.idle_since = now
        machine = self._machines[state.host.machine]
        machine.open -= 1
        if machine.parked:
            heappush(self._events, (now, machine.parked.popleft(), _START_RESERVED))
        if state.preliminary:
            state.preliminary -= 1
        elif answer.status == 200 and not answer.is_cut:
            state.visits += 1
            state.left -= 1
            self.pages.append(now)
        elif answer.status not in (429, 503):
            state.visits += 1
            state.left -= not answer.is_cut
        if state.left > 0:
            heappush(self._events, (now + self._rest(state, answer), index, _START))

    def _rest(self, state: _State, answer: _Answer) -> float:
        politeness = self._politeness
        is_failure = answer.status in (429, 503)
        state.failures = state.failures + 1 if is_failure else 0
        if is_failure:
            backoff = politeness.backoff_seconds * 2.0 ** (state.failures - 1)
            return max(min(backoff, politeness.max_backoff_seconds), answer.retry_after, politeness.delay_seconds)
        taken = round_trip(state.path) + answer.delay + state.losses + body(state.path, answer.size)
        slowness = min(politeness.delay_factor * taken, politeness.max_delay_seconds)
        return max(politeness.delay_seconds, slowness, min(state.crawl_delay, politeness.max_crawl_delay_seconds))


def _state(world: World, index: int, host: Host, keeping: Keeping) -> _State:
    robots = robots_of(world.seed, index)
    return _State(
        host,
        world.machines[host.machine].path,
        keeping,
        left=min(host.pages or inf, _readable(world, index, host)),
        preliminary=_PRELIMINARY - 1 if host.quirk is Quirk.REDIRECTS_TO_TLS else 1,
        crawl_delay=float(robots.crawl_delay or 0) if robots else 0.0,
        setup_seconds=stall_seconds(world.seed, index) if host.tls is TlsKind.SLOW else 0.0,
        losses=losses(world.machines[host.machine].path, flights=1),
        is_plain=host.quirk in _PLAIN,
    )


def _readable(world: World, index: int, host: Host) -> float:
    """Return how many pages a host answers until its filter or gate intervenes."""
    if host.quirk in (Quirk.FORBIDS, Quirk.CHALLENGE):
        return patience_of(world.seed, index) - 1  # the first request was for its robots.txt
    return 1 if host.quirk is Quirk.COOKIE_GATE else inf
