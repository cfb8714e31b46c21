"""What the frontier keeps of each host and address; plain mutable state that only the frontier changes."""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from math import inf
from typing import Final

from hinterland.crawler.frontier.ready_hosts import KeyHeap
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.frontier.visits import HostTask, Visit

_ASK_SECONDS: Final = 0.1
"""How long until a host is considered again whose address nobody may visit yet."""
_NEVER: Final = -inf
_NO_RESTS: Final = (_NEVER, _NEVER)


class HostState:
    """What the frontier keeps of a host.

    `waiting` counts its waiting pages, retries included. `good_page` is one that it answered as it should, -1 if none.
    `visit` is the one under way; `is_kept` says that it makes no request now; `extra_request` is the one under way
    besides the visits. `was_dead` says that it has failed its good page, too, since its last answer. `was_doubted` and
    `retried_last` say whether the page visited last was doubted, or had been tried before. `resolved_until` is when its
    name must be looked up again; `is_ahead` says that it was looked up and has not been visited since. `address_rest`
    is until when its address had to rest before its last visit, and since.
    """

    __slots__ = (
        "address", "address_rest", "busy_at", "crawl_delay", "extra_request", "failures", "fetched", "good_page",
        "is_ahead", "is_kept", "next_fetch", "number", "resolved", "resolved_until", "rest", "retried_last",
        "robots_pending", "robots_until", "robots_unused", "tasks", "visit", "waiting", "was_dead", "was_doubted",
        "was_heard",
    )  # fmt: skip

    def __init__(self, number: int, address: Address) -> None:
        """Begin as a host that nothing is known of."""
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
        self.robots_unused = False  # read, and no page has been visited since
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
    """What the hosts at one IP address share."""

    __slots__ = ("connections", "delay", "in_flight", "next_fetch", "number", "parked", "timer")

    def __init__(self, number: int, connections: float, delay: float) -> None:
        """Allow `connections` requests at a time, begun at least `delay` seconds apart."""
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
        """Return whether a request may begin there."""
        return self.next_fetch <= now and self.in_flight < self.connections


class AddressUse(Enum):
    """Which shards visit an address: ASKED means that this is not known here yet."""

    ASKED = auto()
    ALONE = auto()
    SHARED = auto()


class SharedAddress(Address):
    """An address that other shards may visit too; then each has its time slots and its share of the connections.

    No host there is visited until it is known who uses the address.
    """

    __slots__ = ("_share", "_time_slots", "use")

    def __init__(self, number: int, connections: float, delay: float, time_slots: TimeSlots) -> None:
        """Begin with an unknown use; `connections` is the number per shard if all shards visit the address."""
        super().__init__(number, connections, delay)
        self.use = AddressUse.ASKED
        self._share = connections
        self._time_slots = time_slots

    def is_used(self, use: AddressUse) -> None:
        """Set who uses the address."""
        self.use = use
        self.connections = self._share * (self._time_slots.of if use is AddressUse.ALONE else 1)

    def is_open(self, now: float) -> bool:
        """Return whether a request may begin there; outside its time slots the address rests."""
        if self.use is AddressUse.ASKED:
            self.next_fetch = max(self.next_fetch, now + _ASK_SECONDS)
        if self.use is AddressUse.SHARED:
            self.next_fetch = max(self.next_fetch, self._time_slots.next_begin(max(now, self.next_fetch), self.delay))
        return super().is_open(now)
