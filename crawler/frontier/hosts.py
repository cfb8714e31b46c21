"""What the frontier keeps of a host and of an address; plain mutable state, changed by the frontier alone."""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from math import inf
from typing import Final

from hinterland.crawler.frontier.ready_hosts import KeyHeap
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.frontier.visits import HostTask, Visit

_ASK_SECONDS: Final = 0.1
"""After so long a host is considered again whose address nobody may visit yet."""
_NEVER: Final = -inf
_NO_RESTS: Final = (_NEVER, _NEVER)


class HostState:
    """waiting: its pages that wait, retries included. good_page: one that it answered as it should, -1 if none did.
    visit: the one under way. is_kept: it makes no request now; extra_request: the one under way besides its visits.
    was_dead: since its last answer it has failed that page, too. was_doubted, retried_last: whether the page visited
    last was doubted, or had been tried before. resolved_until: when its name is to be looked up again; is_ahead: it was
    looked up, and has not been visited since. address_rest: until when its address had to rest before its last visit,
    and since.
    """

    __slots__ = (
        "address", "address_rest", "busy_at", "crawl_delay", "extra_request", "failures", "fetched", "good_page",
        "is_ahead", "is_kept", "next_fetch", "number", "resolved", "resolved_until", "rest", "retried_last",
        "robots_pending", "robots_until", "robots_unused", "tasks", "visit", "waiting", "was_dead", "was_doubted",
        "was_heard",
    )  # fmt: skip

    def __init__(self, number: int, address: Address) -> None:
        self.number = number
        self.address = address
        self.busy_at = address
        self.address_rest = _NO_RESTS
        self.resolved = False
        self.resolved_until = _NEVER
        self.is_ahead = False
        self.next_fetch = 0.0
        self.rest = 0.0
        self.robots_until = _NEVER
        self.robots_unused = False  # read, and no page visited since
        self.robots_pending = False
        self.crawl_delay: float | None = None
        self.failures = 0
        self.was_heard = False
        self.was_dead = False
        self.was_doubted = False
        self.fetched = 0
        self.waiting = 0
        self.good_page = -1
        self.retried_last = False
        self.tasks: deque[HostTask] | None = None
        self.is_kept = False
        self.extra_request: Visit | None = None
        self.visit: Visit | None = None


class Address:
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

    @property
    def is_full(self) -> bool:
        """Whether it has as many requests under way as it may."""
        return self.in_flight >= self.connections

    def is_open(self, now: float) -> bool:
        """Whether a request may begin there."""
        return self.next_fetch <= now and self.in_flight < self.connections


class AddressUse(Enum):
    """Who visits an address. ASKED: nobody knows yet here."""

    ASKED = auto()
    ALONE = auto()
    SHARED = auto()


class SharedAddress(Address):
    """One that other crawls may visit, too; then each has its turn, and its share of the connections. Nobody is visited
    there as long as that is not known.
    """

    __slots__ = ("_share", "_time_slots", "use")

    def __init__(self, number: int, connections: float, delay: float, time_slots: TimeSlots) -> None:
        """connections: of each crawl, if all of them visit it."""
        super().__init__(number, connections, delay)
        self.use = AddressUse.ASKED
        self._share = connections
        self._time_slots = time_slots

    def is_used(self, use: AddressUse) -> None:
        self.use = use
        self.connections = self._share * (self._time_slots.of if use is AddressUse.ALONE else 1)

    def is_open(self, now: float) -> bool:
        """Whose turn it is not rests until the next one begins."""
        if self.use is AddressUse.ASKED:
            self.next_fetch = max(self.next_fetch, now + _ASK_SECONDS)
        if self.use is AddressUse.SHARED:
            self.next_fetch = max(self.next_fetch, self._time_slots.next_begin(max(now, self.next_fetch), self.delay))
        return super().is_open(now)
