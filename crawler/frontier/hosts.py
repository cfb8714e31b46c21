"""The frontier's state of each host and address: plain mutable values that only the frontier changes."""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from math import inf
from typing import Final

from hinterland.crawler.frontier.ready_hosts import KeyHeap
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.frontier.visits import HostTask, Visit

_ASK_SECONDS: Final = 0.1
"""Seconds between two checks whether it is known which shards visit a host's address; until then the host waits."""
_NEVER: Final = -inf
_NO_RESTS: Final = (_NEVER, _NEVER)


class HostState:
    """The frontier's state of a host.

    `waiting` counts the host's waiting pages, retries included. `good_page` is the last page that the host has answered
    successfully, -1 if none, and `good_page_before` the page before it. `visit` is the visit under way; `is_kept` says
    that this visit still occupies the host but makes no request now. `extra_request` is the request under way outside
    the visits. `was_dead` says that the host has failed a probe since its last answer. `was_doubted` says that the page
    visited last was doubted, and `retried_last` that it was a retry. `resolved_until` is when the name must be looked
    up again; `is_ahead` says that the name was looked up and the host has not been visited since. `address_rest` holds
    two times: the end of the address's pause before the host's last visit, and its end after that visit.
    """

    __slots__ = (
        "address", "address_rest", "busy_at", "crawl_delay", "extra_request", "failures", "fetched", "good_page",
        "good_page_before",
        "is_ahead", "is_kept", "next_fetch", "number", "resolved", "resolved_until", "rest", "retried_last",
        "robots_pending", "robots_until", "robots_unused", "tasks", "visit", "waiting", "was_dead", "was_doubted",
        "was_heard",
    )  # fmt: skip

    def __init__(self, number: int, address: Address) -> None:
        """Begin as a host about which nothing is known."""
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
        self.good_page_before = -1
        self.retried_last = False
        self.tasks: deque[HostTask] | None = None
        self.is_kept = False
        self.extra_request: Visit | None = None
        self.visit: Visit | None = None


class Address:
    """The state shared by the hosts at one IP address."""

    __slots__ = ("connections", "delay", "in_flight", "next_fetch", "number", "parked", "timer")

    def __init__(self, number: int, connections: float, delay: float) -> None:
        """Allow `connections` concurrent requests, with at least `delay` seconds between the starts of any two."""
        self.number = number
        self.connections = connections
        self.delay = delay
        self.in_flight = 0
        self.next_fetch = -inf
        self.timer = -inf
        self.parked: KeyHeap | None = None

    @property
    def is_full(self) -> bool:
        """Whether the maximum number of requests is under way at the address."""
        return self.in_flight >= self.connections

    def is_open(self, now: float) -> bool:
        """Return whether a request to the address may begin now."""
        return self.next_fetch <= now and self.in_flight < self.connections


class AddressUse(Enum):
    """Which shards visit an address; ASKED means that this is not known yet."""

    ASKED = auto()
    ALONE = auto()
    SHARED = auto()


class SharedAddress(Address):
    """An address that other shards may visit too.

    If they do, each shard visits it in time slots of its own and with its share of the connections.

    No host at the address is visited until it is known who uses the address.
    """

    __slots__ = ("_share", "_time_slots", "use")

    def __init__(self, number: int, connections: float, delay: float, time_slots: TimeSlots) -> None:
        """Describe IP address `number`, whose users among the shards are not known yet.

        `connections` is how many concurrent requests this shard may make if all shards visit the address. `delay` is
        the least time between the starts of two requests, in seconds.
        """
        super().__init__(number, connections, delay)
        self.use = AddressUse.ASKED
        self._share = connections
        self._time_slots = time_slots

    def is_used(self, use: AddressUse) -> None:
        """Set which shards use the address."""
        self.use = use
        self.connections = self._share * (self._time_slots.of if use is AddressUse.ALONE else 1)

    def is_open(self, now: float) -> bool:
        """Return whether a request to the address may begin now; if it is shared, only in this shard's time slots."""
        if self.use is AddressUse.ASKED:
            self.next_fetch = max(self.next_fetch, now + _ASK_SECONDS)
        if self.use is AddressUse.SHARED:
            self.next_fetch = max(self.next_fetch, self._time_slots.next_begin(max(now, self.next_fetch), self.delay))
        return super().is_open(now)
