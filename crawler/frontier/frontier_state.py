"""The state of the frontier, and what others may ask about it: counts, hosts and urgencies. Pure."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.frontier.closed_hosts import ClosedHosts
from hinterland.crawler.frontier.host_places import (
    BUSY,
    GONE,
    READY,
    RESTING,
    UNNAMED,
    UNNAMED_FIRST,
    HostPlaces,
)
from hinterland.crawler.frontier.retries import Retries
from hinterland.crawler.frontier.visits import FrontierCounts, HostPoliteness
from hinterland.crawler.frontier.waiting_pages import BoolArray, FloatArray, IntArray, WaitingPages


class FrontierState:
    """The waiting pages, the hosts, and the number of visits under way; `Frontier` changes them."""

    def __init__(self, pages: WaitingPages, retries: Retries, places: HostPlaces, closed: ClosedHosts) -> None:
        """Start without hosts and pages; all parts are empty."""
        self._pages = pages
        self._retries = retries
        self._places = places
        self._closed = closed
        self._in_flight = 0
        self._host = places.host

    def politeness_of(self, host: int) -> HostPoliteness:
        """Return the politeness state of a host, as the store keeps it."""
        h = self._host(host)
        return HostPoliteness(h.next_fetch, h.rest, h.failures, h.fetched, self._places.of[host] == GONE)

    def counts(self) -> FrontierCounts:
        """Return how many pages and hosts are in each state."""
        places = self._places.counts()
        return FrontierCounts(
            waiting=len(self._pages) + len(self._retries),
            stranded=self._closed.stranded,
            retrying=sum(not self._closed[host] for host in self._retries.unanswered()),
            in_flight=self._in_flight,
            hosts=len(self._places),
            hosts_ready=sum(places[READY:]),
            hosts_unnamed=places[UNNAMED] + places[UNNAMED_FIRST],
            hosts_resting=places[RESTING],
            hosts_busy=places[BUSY],
            hosts_given_up=places[GONE],
        )

    def closed_hosts(self) -> BoolArray:
        """Return whether each host is given up or at its page limit, shape (hosts,).

        `closings` counts how often a host entered or left that state.
        """
        return self._closed.mask()

    @property
    def closings(self) -> int:
        """How often a host was closed or reopened."""
        return self._closed.closings

    def is_failing(self, host: int) -> bool:
        """Return whether a host is no longer visited, or failed at its last visit through its own fault."""
        state = self._places.known(host)
        return self._closed[host] or (state is not None and state.failures > 0)

    def hosts_given_up(self) -> IntArray:
        """Return the hosts that are given up, ascending."""
        return self._places.numbers_at(GONE)

    def has_only_failing_hosts(self) -> bool:
        """Return whether no visit is under way, and the last visit failed at every host with something to visit."""
        if self._in_flight:
            return False
        places = np.frombuffer(self._places.of, np.uint8)
        awaited = np.flatnonzero((places == RESTING) | (places >= READY))
        return all(self._host(host).failures for host in awaited.tolist())

    def has_only_retries(self) -> bool:
        """Return whether no visit is under way, and every page that can still be visited was visited before."""
        return not self._in_flight and len(self._pages) + len(self._retries) - self._closed.stranded <= sum(
            not self._closed[host] for host in self._retries.unanswered()
        )

    def urgencies(self) -> tuple[IntArray, FloatArray]:
        """Return the waiting pages, ascending, and their urgencies, shape (k,) each; retries are left out."""
        return self._pages.urgencies()

    @property
    def in_flight(self) -> int:
        """The number of visits under way."""
        return self._in_flight

    def heap_entries(self) -> int:
        """Return the number of entries in the heaps of ready and parked hosts, at most a few for each host."""
        return self._places.heap_entries()

    def memory_bytes(self) -> int:
        """Return the size in bytes of the data about waiting pages, without hosts and their heaps."""
        return self._pages.memory_bytes()
