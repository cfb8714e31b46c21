"""What waits, when each host may be visited, and what is next. Pure: the time is an argument.

A host is in one of five places:

    IDLE ──► RESTING ──► READY ──► BUSY ──► settled again: IDLE, RESTING or READY
                                    └─────► GONE, when it failed too often in a row

Ready hosts stand in one heap under their most urgent page. A host that comes up while the address (IP) it
shares has no free connection, or rests, is parked at the address; when the address opens, the most urgent
of the parked goes back to the heap. So hosts and addresses are treated politely in O(log n) a visit, as by
the workbench of BUbiNG (Boldi, Marino, Santini & Vigna, ACM TWEB 2018). Invariants:

  - a page is handed out once, and again only after `retry` or `abandoned`;
  - at most one visit to a host is under way, and none begins before the host's next_fetch;
  - an address has at most address_connections visits under way, and two of them start at least
      address_delay_seconds apart;
  - among the hosts that may be visited now the one with the most urgent page goes first; but one that has
    been ready for longer than max_ready_seconds goes before all urgencies, unless the last visit was to such
    a host: where more hosts are ready than can be visited in that time, the order keeps half of the visits;
  - while an address is open, its most urgent ready host stands in the heap: nothing that may go idles.

Before its first page a host gets one errand to find its address and one to fetch its robots.txt, which is
fetched again when it expires. Errands are visits, and as polite as any other. A robots.txt that has moved
to another host becomes an errand to that host; the owner's pages wait for it. A robots.txt serves at least
one page, even if it expires while its host rests: else a long rest and a short validity would allow none.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from heapq import heappop, heappush
from math import inf

import numpy as np

from crawler.frontier.politeness import rest_after_answer, rest_after_failure
from crawler.frontier.ready_hosts import Key, KeyHeap, ReadyHosts
from crawler.frontier.spent import Spent
from crawler.frontier.visits import (
    Errand,
    ErrandKind,
    Exhausted,
    FrontierCounts,
    HostPoliteness,
    RobotsKnown,
    RobotsMoved,
    RobotsUnreachable,
    Visit,
    Wait,
)
from crawler.frontier.waiting_pages import BoolArray, FloatArray, HostOrder, IntArray, Reordering, WaitingPages
from crawler.settings import PolitenessSettings

_IDLE, _RESTING, _READY, _FIRST, _BUSY, _GONE = range(6)
"""Places of a host; _FIRST is READY, and before all pages."""

_FIRST_TURN = -(2**62)
"""Errands go before pages, under the key (-inf, -1, host); hosts that have been ready for too long before errands,
under (-inf, turn, host), where turn < -1 counts up."""


class _Host:
    __slots__ = (
        "address", "busy_at", "crawl_delay", "errands", "failures", "fetched", "next_fetch", "number",
        "resolved", "rest", "robots_pending", "robots_until", "robots_unused",
        "was_heard",
    )  # fmt: skip

    def __init__(self, number: int, address: _Address) -> None:
        self.number = number
        self.address = address
        self.busy_at = address
        self.resolved = False
        self.next_fetch = 0.0
        self.rest = 0.0
        self.robots_until = -inf
        self.robots_unused = False  # read, and no page visited since
        self.robots_pending = False
        self.crawl_delay: float | None = None
        self.failures = 0
        self.was_heard = False
        self.fetched = 0
        self.errands: deque[Errand] | None = None


class _Address:
    """What hosts share that live at one IP address."""

    __slots__ = ("connections", "delay", "in_flight", "next_fetch", "number", "parked", "timer")

    def __init__(self, number: int, connections: float, delay: float) -> None:
        self.number = number
        self.connections = connections
        self.delay = delay
        self.in_flight = 0
        self.next_fetch = -inf
        self.timer = -inf
        self.parked: KeyHeap | None = None


class Frontier:
    """See the module. All methods are synchronous; `now` (epoch seconds) never decreases."""

    def __init__(
        self,
        settings: PolitenessSettings,
        *,
        random: Callable[[], float],
        max_pages_per_host: int | None = None,
        robots_retry_seconds: float = 60.0,
    ) -> None:
        self._settings = settings
        self._random = random
        self._host_limit = inf if max_pages_per_host is None else max_pages_per_host
        self._robots_retry_seconds = robots_retry_seconds
        self._pages = WaitingPages()
        self._hosts: list[_Host] = []
        self._unlimited = _Address(0, inf, 0.0)
        self._addresses = [self._unlimited]
        self._address_numbers: dict[str, int] = {}
        self._places = bytearray()
        self._ready = ReadyHosts()
        self._ready_since: OrderedDict[int, float] = OrderedDict()
        self._next_turn = _FIRST_TURN
        self._last_was_overdue = False
        self.closings = 0
        self._resting_hosts: list[tuple[float, int]] = []
        self._resting_addresses: list[tuple[float, int]] = []
        self._retries: list[tuple[float, int]] = []
        self._in_flight = 0

    # ---------------------------------------------------------------- what is known

    def add_host(self, politeness: HostPoliteness | None = None) -> int:
        """Make a host known and return its number; numbers are dense, from 0."""
        host = _Host(len(self._hosts), self._unlimited)
        if politeness is not None:
            host.next_fetch = politeness.next_fetch
            host.rest = politeness.rest
            host.failures = politeness.failures
            host.fetched = politeness.fetched
            host.was_heard = politeness.fetched > 0
        self._hosts.append(host)
        self._places.append(_GONE if politeness is not None and politeness.given_up else _IDLE)
        self._ready.keys.append(None)
        return host.number

    def restore_robots(self, host: int, until: float, crawl_delay: float | None) -> None:
        """Tell what a store remembers of a host's robots.txt, before any page of the host is added."""
        self._hosts[host].robots_until = until
        self._hosts[host].crawl_delay = crawl_delay

    def add(self, pages: IntArray, hosts: IntArray, urgencies: FloatArray, now: float) -> None:
        """Let pages wait that never waited before; shape (k,) each."""
        self._pages.add(pages, hosts, urgencies)
        keys, places = self._ready.keys, self._places
        for page, number, urgency in zip(pages.tolist(), hosts.tolist(), urgencies.tolist(), strict=True):
            key = keys[number]
            if key is None and places[number] == _READY:
                self._ready.push_bound((-urgency, page, number))
            elif places[number] == _IDLE or (key is not None and (-urgency, page, number) < key):
                self._news_for(self._hosts[number], now)

    # ---------------------------------------------------------------- what is next

    def next_visit(self, now: float) -> Visit | Wait | Exhausted:
        self._wake(now)
        host = self._next_host(now)
        return self._nothing_now() if host is None else self._start(host, now)

    def upcoming(self, host: int, count: int) -> list[int]:
        """Up to `count` pages of the host that come soon, for reading their URLs ahead."""
        return self._pages.upcoming(host, count)

    # ---------------------------------------------------------------- what came of it

    def resolved(self, visit: Visit, address: str | None, now: float) -> None:
        """End a RESOLVE errand. None: the address is not known here (a proxy dials it), so it has no limit."""
        host = self._end(visit, now)
        host.resolved = True
        host.address = self._unlimited if address is None else self._address(address)
        self._settle(host, now)

    def robots_fetched(
        self, visit: Visit, result: RobotsKnown | RobotsMoved | RobotsUnreachable, now: float, seconds: float
    ) -> None:
        """End a ROBOTS errand that took `seconds`."""
        assert visit.errand is not None, "only an errand fetches robots.txt"
        host, owner = self._end(visit, now), self._hosts[visit.errand.owner]
        owner.robots_pending = False
        host.was_heard |= not isinstance(result, RobotsUnreachable) or result.was_heard
        if isinstance(result, RobotsUnreachable):
            host.resolved = False  # it may have moved
            self._robots_unreachable(owner, result.retry_after, now)
            if owner is host:
                return
            asked = min(result.retry_after or 0.0, self._settings.max_retry_after_seconds)
            self._rest(host, asked, now)
        if isinstance(result, RobotsKnown):
            owner.robots_until = result.until
            owner.robots_unused = True
            owner.crawl_delay = result.crawl_delay
            owner.failures = 0
        self._rest(host, rest_after_answer(self._settings, seconds, host.crawl_delay), now)
        if isinstance(result, RobotsMoved):
            owner.robots_pending = True
            self._settle(host, now)
            moved = Errand(ErrandKind.ROBOTS, owner.number, result.url, visit.errand.redirects + 1)
            self._send(moved, self._hosts[result.host], now)
        else:
            self._settle(host, now)
            self._news_for(owner, now)

    def finished(self, visit: Visit, now: float, seconds: float) -> None:
        """End a visit to a page that the host answered, after `seconds`."""
        host = self._end(visit, now)
        host.failures = 0
        host.was_heard = True
        host.fetched += 1
        self.closings += host.fetched == self._host_limit
        self._rest(host, rest_after_answer(self._settings, seconds, host.crawl_delay), now)
        self._settle(host, now)

    def failed(self, visit: Visit, now: float, retry_after: float | None = None) -> None:
        """End a visit to a page, or a RESOLVE errand, for whose failure the host is to blame.

        The host backs off, and is given up after give_up_after_failures failures in a row; one that
        never answered, after give_up_unheard_after_failures.
        """
        host = self._end(visit, now)
        host.resolved = False  # it may have moved
        self._blame(host, retry_after, now)
        self._settle(host, now)

    def released(self, visit: Visit, now: float) -> None:
        """End a visit to a page without a request having been made."""
        self._settle(self._end(visit, now), now)

    def withdrawn(self, visit: Visit, now: float) -> None:
        """End a visit to a page without a request having been made; the page may be added anew."""
        self._pages.forget(visit.page)
        self.released(visit, now)

    def abandoned(self, visit: Visit, now: float) -> None:
        """End a visit that was broken off: its page or errand waits again, the host rests as after an answer."""
        host = self._end(visit, now)
        self._rest(host, rest_after_answer(self._settings, 0.0, host.crawl_delay), now)
        if visit.errand is None:
            self._pages.put_back(visit.page)
        elif visit.errand.url:
            self._send(visit.errand, host, now)
        self._settle(host, now)

    def add_retrying(self, page: int, host: int, urgency: float, at: float) -> None:
        """Restore a page that had been visited and is to wait again from `at` on."""
        self._pages.add_taken(page, host, urgency)
        self.retry(page, at)

    def retry(self, page: int, at: float) -> None:
        """Let a page that was visited wait again from `at` on, as urgent as before."""
        heappush(self._retries, (at, page))

    # ---------------------------------------------------------------- re-ordering

    @property
    def wants_folding(self) -> bool:
        """True when a re-ordering would save memory, even without new urgencies."""
        return self._pages.wants_folding and not self._pages.is_reordering

    def begin_reordering(self) -> Reordering:
        """A snapshot of all that waits, to be sorted (in another thread) and given to `install`."""
        return self._pages.begin_reordering()

    def install(self, order: HostOrder, now: float) -> Spent:
        """Take over a sorted re-ordering, in a few array steps. Returns what is not needed any more; the caller
        may let visits go on between freeing parts of it."""
        arrived, spent = self._pages.install(order)
        places = np.frombuffer(self._places, np.uint8)
        spent.add(self._ready.install(order, arrived, places == _READY, np.flatnonzero(places == _FIRST).tolist()))
        return spent

    # ---------------------------------------------------------------- reports

    def politeness_of(self, host: int) -> HostPoliteness:
        h = self._hosts[host]
        return HostPoliteness(h.next_fetch, h.rest, h.failures, h.fetched, self._places[host] == _GONE)

    def counts(self) -> FrontierCounts:
        closed = [host.number for host in self._hosts if self._is_closed(host)]
        stranded = int(self._pages.waiting_by_host(len(self._hosts))[closed].sum()) if closed else 0
        lost = sum(self._is_closed(self._hosts[self._pages.host_of(page)]) for _, page in self._retries)
        places = np.bincount(np.frombuffer(self._places, np.uint8), minlength=_GONE + 1).tolist()
        return FrontierCounts(
            waiting=len(self._pages) + len(self._retries),
            stranded=stranded + lost,
            retrying=len(self._retries) - lost,
            in_flight=self._in_flight,
            hosts=len(self._hosts),
            hosts_ready=places[_READY] + places[_FIRST],
            hosts_resting=places[_RESTING],
            hosts_busy=places[_BUSY],
            hosts_given_up=places[_GONE],
        )

    def closed_hosts(self) -> BoolArray:
        """Whether no page of a host can be visited any more, since it is given up or at its page limit; shape
        (hosts,). `closings` counts how often a host joined them."""
        if self._host_limit == inf:
            is_gone: BoolArray = np.frombuffer(self._places, np.uint8) == _GONE
            return is_gone
        return np.fromiter(map(self._is_closed, self._hosts), np.bool_, len(self._hosts))

    def is_failing(self, host: int) -> bool:
        """Whether the last visit to a host failed by its fault, or it is not visited any more."""
        return self._hosts[host].failures > 0 or self._is_closed(self._hosts[host])

    def hosts_given_up(self) -> IntArray:
        return np.flatnonzero(np.frombuffer(self._places, np.uint8) == _GONE).astype(np.int32)

    def has_only_failing_hosts(self) -> bool:
        """Whether nothing is under way, and of the hosts that are to be visited each failed the last time."""
        if self._in_flight:
            return False
        places = np.frombuffer(self._places, np.uint8)
        awaited = np.flatnonzero((places == _RESTING) | (places == _READY) | (places == _FIRST))
        return all(self._hosts[host].failures for host in awaited.tolist())

    def urgencies(self) -> tuple[IntArray, FloatArray]:
        """The pages that wait, ascending, and their urgencies, shape (k,) each; those to retry later are not among
        them."""
        return self._pages.urgencies()

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def memory_bytes(self) -> int:
        """Bytes of what grows with the waiting pages (hosts and their heaps not included)."""
        return self._pages.memory_bytes()

    # ---------------------------------------------------------------- time

    def _wake(self, now: float) -> None:
        """Move on whatever has waited long enough: pages to retry, hosts, addresses."""
        while self._retries and self._retries[0][0] <= now:
            self._put_back_first_retry(now)
        resting = self._resting_hosts
        while resting and resting[0][0] <= now:
            time, number = heappop(resting)
            host = self._hosts[number]
            if self._places[host.number] == _RESTING and host.next_fetch == time:
                self._settle(host, now)
        while self._resting_addresses and self._resting_addresses[0][0] <= now:
            _, number = heappop(self._resting_addresses)
            self._reopen(self._addresses[number], now)

    def _nothing_now(self) -> Wait | Exhausted:
        while self._retries and self._is_closed(self._hosts[self._pages.host_of(self._retries[0][1])]):
            self._put_back_first_retry(-inf)
        resting = self._resting_hosts
        while resting:
            time, number = resting[0]
            host = self._hosts[number]
            if self._places[host.number] == _RESTING and host.next_fetch == time:
                break
            heappop(resting)
        addresses = self._resting_addresses
        while addresses and not self._is_awaited(self._addresses[addresses[0][1]]):
            self._addresses[heappop(addresses)[1]].timer = -inf
        times = [heap[0][0] for heap in (self._retries, resting, addresses) if heap]
        if times:
            return Wait(min(times))
        return Wait(inf) if self._in_flight else Exhausted()

    def _put_back_first_retry(self, now: float) -> None:
        _, page = heappop(self._retries)
        self._pages.put_back(page)
        self._news_for(self._hosts[self._pages.host_of(page)], now)

    # ---------------------------------------------------------------- hosts

    def _move(self, host: _Host, place: int) -> None:
        """To any place but _READY and _FIRST."""
        number = host.number
        if self._places[number] in (_READY, _FIRST):
            self._ready.keys[number] = None
            self._ready_since.pop(number, None)
        self._places[number] = place

    def _make_ready(self, host: _Host, key: Key) -> None:
        self._places[host.number] = _READY if key[1] >= 0 else _FIRST
        self._ready.push(key)

    def _settle(self, host: _Host, now: float) -> None:
        """Put a host that is not under visit where it belongs."""
        if self._places[host.number] == _GONE:
            return
        key = self._current_key(host)
        if key is None:
            self._move(host, _IDLE)
        elif host.next_fetch > now:
            self._move(host, _RESTING)
            heappush(self._resting_hosts, (host.next_fetch, host.number))
        else:
            self._ready_since.setdefault(host.number, now)
            self._make_ready(host, key)

    def _news_for(self, host: _Host, now: float) -> None:
        """A page or an errand arrived at this host."""
        place = self._places[host.number]
        if place == _IDLE:
            self._settle(host, now)
        elif place in (_READY, _FIRST):
            key, old = self._current_key(host), self._ready.keys[host.number]
            if key is not None and (old is None or key < old):
                self._make_ready(host, key)

    def _current_key(self, host: _Host) -> Key | None:
        """Under which key the host waits for a visit; None if it has nothing to be visited for."""
        if host.errands:
            return (-inf, -1, host.number)
        if host.robots_pending or host.fetched >= self._host_limit:
            return None
        head = self._pages.head(host.number)
        return None if head is None else (*head, host.number)

    def _is_closed(self, host: _Host) -> bool:
        """Whether none of its pages can be visited any more."""
        return self._places[host.number] == _GONE or host.fetched >= self._host_limit

    def _rest(self, host: _Host, seconds: float, now: float) -> None:
        host.rest = seconds
        host.next_fetch = max(host.next_fetch, now + seconds)

    def _blame(self, host: _Host, retry_after: float | None, now: float, at_least: float = 0.0) -> None:
        host.failures += 1
        seconds = rest_after_failure(
            self._settings,
            host.failures,
            retry_after=retry_after,
            crawl_delay=host.crawl_delay,
            random=self._random,
        )
        self._rest(host, max(seconds, at_least), now)
        limit = self._settings.give_up_after_failures
        if not host.was_heard:
            limit = min(limit, self._settings.give_up_unheard_after_failures)
        if host.failures >= limit and self._places[host.number] not in (_GONE, _BUSY):
            self._move(host, _GONE)
            self.closings += 1
            errands, host.errands = host.errands or (), None
            for errand in errands:
                self._robots_unreachable(self._hosts[errand.owner], None, now)

    def _robots_unreachable(self, owner: _Host, retry_after: float | None, now: float) -> None:
        """Everything on the owner is disallowed for now; it is asked again after a growing rest."""
        owner.robots_pending = False
        owner.robots_until = -inf
        if self._places[owner.number] != _GONE:
            doubled = self._robots_retry_seconds * 2.0 ** min(owner.failures, 60)
            self._blame(owner, retry_after, now, min(doubled, self._settings.max_backoff_seconds))
            if self._places[owner.number] != _BUSY:
                self._settle(owner, now)
                self._reopen(owner.address, now)  # it may have been the one to go next there

    def _send(self, errand: Errand, host: _Host, now: float) -> None:
        owner = self._hosts[errand.owner]
        if self._places[host.number] == _GONE:
            self._robots_unreachable(owner, None, now)
            return
        owner.robots_pending = True
        if host.errands is None:
            host.errands = deque()
        host.errands.append(errand)
        self._news_for(host, now)

    # ---------------------------------------------------------------- addresses

    def _address(self, name: str) -> _Address:
        settings = self._settings
        if not settings.address_connections and not settings.address_delay_seconds:
            return self._unlimited
        number = self._address_numbers.get(name)
        if number is None:
            number = self._address_numbers[name] = len(self._addresses)
            connections = settings.address_connections or inf
            self._addresses.append(_Address(number, connections, settings.address_delay_seconds))
        return self._addresses[number]

    def _reopen(self, address: _Address, now: float) -> None:
        """Let the most urgent host parked at an address stand in the heap, now or when it has rested."""
        if address.parked is None or address.in_flight >= address.connections:
            return
        if address.next_fetch <= now:
            key = address.parked.pop()
            if key is not None:
                self._ready.heap.push(key)
        elif address.timer != address.next_fetch:
            address.timer = address.next_fetch
            heappush(self._resting_addresses, (address.next_fetch, address.number))

    # ---------------------------------------------------------------- visits

    def _is_awaited(self, address: _Address) -> bool:
        """Whether a host may be visited as soon as the address has rested."""
        return (
            address.parked is not None
            and address.parked.first() is not None
            and address.in_flight < address.connections
        )

    def _next_host(self, now: float) -> _Host | None:
        """The ready host whose turn it is, taken out of the heap; parks those that come up too early."""
        while True:
            self._promote_overdue(now)
            self._give_keys()
            key = self._ready.heap.pop()
            if key is None:
                return None
            host = self._hosts[key[2]]
            address = host.address
            if address.next_fetch <= now and address.in_flight < address.connections:
                return host
            if address.parked is None:
                address.parked = KeyHeap(self._ready)
            address.parked.push(key)
            self._reopen(address, now)

    def _give_keys(self) -> None:
        """To the hosts that have none since the last order was installed and may have to go before all others."""
        ready = self._ready
        while (bound := ready.next_bound()) is not None:
            number = bound[2]
            if self._places[number] == _READY and ready.keys[number] is None:
                key = self._current_key(self._hosts[number])
                if key is None:
                    self._move(self._hosts[number], _IDLE)
                else:
                    self._make_ready(self._hosts[number], key)
            ready.drop_bound(bound)

    def _promote_overdue(self, now: float) -> None:
        """Let the host that has been ready for longest stand first in the heap, if that has been too long."""
        keys = self._ready.heap.keys
        if self._last_was_overdue or not self._ready_since or (keys and keys[0][1] < -1):
            return  # it is the others' turn, nobody is ready, or such a host stands there already
        number, since = next(iter(self._ready_since.items()))
        if now - since > self._settings.max_ready_seconds:
            del self._ready_since[number]
            self._make_ready(self._hosts[number], (-inf, self._next_turn, number))
            self._next_turn += 1

    def _start(self, host: _Host, now: float) -> Visit:
        address = host.address
        key = self._ready.keys[host.number]
        self._last_was_overdue = key is not None and key[1] < -1
        self._move(host, _BUSY)
        host.busy_at = address
        self._in_flight += 1
        address.in_flight += 1
        address.next_fetch = now + address.delay
        self._reopen(address, now)
        if not host.resolved:
            return Visit(host.number, -1, Errand(ErrandKind.RESOLVE, host.number))
        if host.errands:
            return Visit(host.number, -1, host.errands.popleft())
        if host.robots_until <= now and not host.robots_unused:
            return Visit(host.number, -1, Errand(ErrandKind.ROBOTS, host.number))
        host.robots_unused = False
        return Visit(host.number, self._pages.take(host.number))

    def _end(self, visit: Visit, now: float) -> _Host:
        host = self._hosts[visit.host]
        if self._places[host.number] != _BUSY:
            raise ValueError(f"no visit to host {visit.host} is under way")
        self._in_flight -= 1
        host.busy_at.in_flight -= 1
        self._reopen(host.busy_at, now)
        self._move(host, _IDLE)
        return host
