"""The place (state) of each host, and which ready host is next. Pure: the time is an argument.

A host is in one of five places:

    IDLE ──► RESTING ──► READY ──► BUSY ──► settled again: IDLE, RESTING or READY
                                    └─────► GONE, when it failed too often in a row

Ready hosts are kept in a heap, ordered by their most urgent page. Hosts whose name must be looked up first have a heap
of their own, so that lookups run ahead of the visits. If the IP address of the next host has no free connection, or
must pause, the host is parked at the address. When the address opens, the most urgent host parked there returns to the
heap.

Invariants:

  - the next host is the host with the most urgent page among all hosts that may be visited now. The exception is a
    host that has been ready for longer than max_ready_seconds: it is next in any case, unless the last visit was to
    such a host. So half of the visits follow the order even if more hosts are ready than can be visited in that time;
  - while an address is open, its most urgent ready host is in the heap, so no host that could be visited is left out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from math import inf
from typing import Final

import numpy as np

from hinterland.crawler.frontier.addresses import Addresses
from hinterland.crawler.frontier.garbage import Garbage
from hinterland.crawler.frontier.hosts import HostState
from hinterland.crawler.frontier.ready_hosts import Key, ReadyHosts
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.frontier.waiting_pages import Head, HostOrder, IntArray
from hinterland.crawler.settings import PolitenessSettings

IDLE, RESTING, BUSY, GONE, READY, FIRST, UNNAMED, UNNAMED_FIRST = range(8)
"""Places of a host. A FIRST host is READY and comes before all pages. UNNAMED hosts become READY when their name is
looked up."""

TASKS_FIRST: Final = -1
"""The second element of the key (-inf, -1, host), by which a host with a task comes before all pages."""
_FIRST_TURN: Final = -(2**62)
"""The first value of `turn` in the key (-inf, turn, host), by which hosts that have been ready for too long come before
tasks. `turn` counts up and stays below -1."""
_AHEAD: Final = 1_000
"""Maximum number of ready hosts whose names are looked up ahead of their visits. More are not, since addresses
expire."""


class HostPlaces:
    """The hosts, each with its place. Mutable.

    `key_of` returns the key that orders a host among ready hosts; None if the host has nothing to visit.
    """

    def __init__(
        self,
        settings: PolitenessSettings,
        time_slots: TimeSlots | None,
        *,
        key_of: Callable[[HostState], Key | None],
        max_ready_seconds: float,
    ) -> None:
        """Begin without hosts. `time_slots` is given if other shards visit the same addresses.

        A host that has been ready for `max_ready_seconds` is overdue.
        """
        self.of = bytearray()
        """The place of each host, by its number."""
        self._hosts: list[HostState | None] = []
        """The state of each host; None for a host that never had a page or task, such as most hosts that are only
        linked to.
        """
        self.ready = ReadyHosts()
        self.unnamed = ReadyHosts()
        self.addresses = Addresses(settings, self.ready, time_slots)
        self._key_of = key_of
        self._max_ready_seconds = max_ready_seconds
        self._resting: list[tuple[float, int]] = []
        self._ahead = 0
        self._ready_since: OrderedDict[int, float] = OrderedDict()
        self._next_turn = _FIRST_TURN
        self._last_was_overdue = False

    def __len__(self) -> int:
        """Return the number of hosts."""
        return len(self._hosts)

    def add(self, place: int) -> int:
        """Add a host at a place, IDLE or GONE, and return its number."""
        self._hosts.append(None)
        self.of.append(place)
        self.ready.keys.append(None)
        self.unnamed.keys.append(None)
        return len(self._hosts) - 1

    def host(self, number: int) -> HostState:
        """Return the state of a host."""
        host = self._hosts[number]
        if host is None:
            host = self._hosts[number] = HostState(number, self.addresses.unlimited)
        return host

    def known(self, number: int) -> HostState | None:
        """Return the state of a host; None if it never had a page or task."""
        return self._hosts[number]

    def is_resting_until(self, host: HostState, time: float) -> bool:
        """Return whether a host rests, and its rest ends at exactly this time."""
        return self.of[host.number] == RESTING and host.next_fetch == time

    def numbers_at(self, place: int) -> IntArray:
        """Return the hosts that are in a place (state), ascending."""
        return np.flatnonzero(np.frombuffer(self.of, np.uint8) == place).astype(np.int32)

    def counts(self) -> list[int]:
        """Return how many hosts are in each place (state)."""
        counts: list[int] = np.bincount(np.frombuffer(self.of, np.uint8), minlength=UNNAMED_FIRST + 1).tolist()
        return counts

    def heap_entries(self) -> int:
        """Return the number of entries in the heaps of ready and parked hosts, including stale entries."""
        lines = len(self.ready.heap.keys) + len(self.unnamed.heap.keys)
        return lines + len(self._ready_since) + self.addresses.parked_entries()

    # ---------------------------------------------------------------- moves

    def line_of(self, host: HostState) -> ReadyHosts:
        """Return the heap that holds the host while it is ready."""
        return self.ready if host.resolved else self.unnamed

    def note_resolved(self, host: HostState, until: float) -> None:
        """Note that the host's name was looked up; the result is valid until `until`, in epoch seconds."""
        host.resolved, host.resolved_until = True, until
        host.is_ahead = True
        self._ahead += 1

    def move(self, host: HostState, place: int) -> None:
        """Move a host to a place (state) that is not READY."""
        number = host.number
        if self.of[number] >= READY:
            self.line_of(host).keys[number] = None
            self._ready_since.pop(number, None)
            self._not_ahead(host)
        self.of[number] = place

    def occupy(self, host: HostState, *, is_probe: bool) -> None:
        """Move a host to BUSY, because a visit to it begins."""
        if not is_probe:
            key = self.line_of(host).keys[host.number]
            self._last_was_overdue = key is not None and key[1] < TASKS_FIRST
        self.move(host, BUSY)

    def settle(self, host: HostState, now: float) -> None:
        """Move a host that is not being visited to IDLE, RESTING or READY, as its rest, tasks and pages require."""
        if self.of[host.number] == GONE:
            return
        key = self._key_of(host)
        if key is None:
            self._not_ahead(host)
            self.move(host, IDLE)
        elif host.next_fetch > now:
            self._not_ahead(host)
            self.move(host, RESTING)
            heappush(self._resting, (host.next_fetch, host.number))
        else:
            self._ready_since.setdefault(host.number, now)
            if self.of[host.number] < READY and host.resolved and host.resolved_until <= now:
                host.resolved = False
            self._make_ready(host, key)

    def update(self, host: HostState, now: float) -> None:
        """Update a host's place (state) after a page or task was queued for it."""
        place = self.of[host.number]
        if place == IDLE:
            self.settle(host, now)
        elif place >= READY:
            key, old = self._key_of(host), self.line_of(host).keys[host.number]
            if key is not None and (old is None or key < old):
                self._make_ready(host, key)

    def wake(self, now: float) -> None:
        """Move on the hosts whose rest is over, and reopen the addresses whose pause is over."""
        resting = self._resting
        while resting and resting[0][0] <= now:
            time, number = heappop(resting)
            host = self.host(number)
            if self.is_resting_until(host, time):
                self.settle(host, now)
        self.addresses.wake(now)

    def next_end_of_rest(self) -> float | None:
        """Return when the next rest of a host ends, in epoch seconds; None if no host rests."""
        resting = self._resting
        while resting:
            time, number = resting[0]
            if self.is_resting_until(self.host(number), time):
                return time
            heappop(resting)
        return None

    def _make_ready(self, host: HostState, key: Key) -> None:
        place = READY if host.resolved else UNNAMED
        self.of[host.number] = place if key[1] >= 0 else place + 1
        self.line_of(host).push(key)

    def _not_ahead(self, host: HostState) -> None:
        """Note that a host no longer counts as looked up ahead, because it is being visited or cannot be visited."""
        self._ahead -= host.is_ahead
        host.is_ahead = False

    # ---------------------------------------------------------------- the next host

    def next_ready(self, now: float, *, unnamed: bool) -> HostState | None:
        """Remove the host to visit next from its heap and return it.

        `unnamed` says whether it may be a host whose name must be looked up first.
        """
        return self._next(now, (self.ready, self.unnamed) if unnamed else (self.ready,))

    def next_unnamed(self, now: float) -> HostState | None:
        """Remove the next host to look up from its heap and return it; None if enough hosts are looked up ahead."""
        return None if self._ahead >= _AHEAD else self._next(now, (self.unnamed,))

    def _next(self, now: float, lines: Sequence[ReadyHosts]) -> HostState | None:
        while True:
            self._promote_overdue(now)
            key: Key | None = None
            for line in lines:
                self._give_keys(line)
                first = line.heap.first()
                if first is not None and (key is None or first < key):
                    key = first
            if key is None:
                return None
            host = self.host(key[2])
            self.line_of(host).heap.pop()
            if not host.resolved:
                return host
            if host.resolved_until <= now:
                self.ready.keys[host.number] = None
                self._not_ahead(host)
                host.resolved = False
                self._make_ready(host, key)
                self.addresses.reopen(host.address, now)
            elif host.address.is_open(now):
                return host
            else:
                self._not_ahead(host)
                self.addresses.park(key, host.address, now)

    def _give_keys(self, line: ReadyHosts) -> None:
        """Compute the keys of hosts that may be next, where the order installed last has left them without keys."""
        place = READY if line is self.ready else UNNAMED
        while (bound := line.next_bound()) is not None:
            number = bound[2]
            if self.of[number] == place and line.keys[number] is None:
                host = self.host(number)
                key = self._key_of(host)
                if key is None:
                    self.move(host, IDLE)
                else:
                    self._make_ready(host, key)
            line.drop_bound(bound)

    def _promote_overdue(self, now: float) -> None:
        """Put the host that has been ready for the longest time first, if it is overdue."""
        if self._last_was_overdue or not self._ready_since:
            return  # it is the others' turn, or no host is ready
        for line in (self.ready, self.unnamed):
            if line.heap.keys and line.heap.keys[0][1] < TASKS_FIRST:
                return  # an overdue host stands there already
        number, since = next(iter(self._ready_since.items()))
        if now - since > self._max_ready_seconds:
            del self._ready_since[number]
            self._make_ready(self.host(number), (-inf, self._next_turn, number))
            self._next_turn += 1

    # ---------------------------------------------------------------- re-ordering

    def install(self, order: HostOrder, arrived: Sequence[Head], garbage: Garbage) -> None:
        """Sort the ready hosts by a new order; add the objects of the old order to `garbage`."""
        places = np.frombuffer(self.of, np.uint8)
        for line, ready, first in ((self.ready, READY, FIRST), (self.unnamed, UNNAMED, UNNAMED_FIRST)):
            firsts = np.flatnonzero(places == first).tolist()
            garbage.add(line.install(order, list(arrived), places == ready, firsts))

    def ensure_key(self, host: HostState) -> None:
        """Compute the key of a ready host, if an installed order has left it without one."""
        line = self.line_of(host)
        if self.of[host.number] >= READY and line.keys[host.number] is None:
            key = self._key_of(host)
            assert key is not None, "a page that is due or doubted is a reason for a visit"
            line.push(key)
