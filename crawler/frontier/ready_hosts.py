"""The hosts that may be visited now, the most urgent first.

Every ready host has a key, and stands under it in a heap. A new order changes all keys at once: for tens of thousands
of hosts that would take tens of milliseconds. So an order is installed lazily. The keys are forgotten, and each ready
host only has a *bound*, a key that is not greater than its own will be. Bounds come sorted from the thread that sorted
the order; those of pages that arrived meanwhile, or arrive later at hosts without a key, stand in a heap of their own.
A host whose bound is the smallest gets its key then, before any other host is visited.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

import numpy as np

from hinterland.crawler.frontier.garbage import Garbage
from hinterland.crawler.frontier.waiting_pages import BoolArray, FloatArray, Head, HostOrder, IntArray

Key = tuple[float, int, int]
"""(-urgency, page, host): unique; the smallest goes first."""


class KeyHeap:
    """A heap of keys of ready hosts; stale keys are dropped at the top, or when they outnumber the others."""

    __slots__ = ("_hosts", "_limit", "keys")

    def __init__(self, hosts: ReadyHosts) -> None:
        """Begin empty; `hosts` knows which keys are current."""
        self._hosts = hosts
        self.replace([])

    def push(self, key: Key) -> None:
        """Add a key."""
        if len(self.keys) >= self._limit:
            current = self._hosts.keys
            self.replace([key for key in self.keys if current[key[2]] is key])
            heapify(self.keys)
        heappush(self.keys, key)

    def first(self) -> Key | None:
        """Return the smallest key that is not stale; None if there is none."""
        keys, current = self.keys, self._hosts.keys
        while keys:
            key = keys[0]
            if current[key[2]] is key:
                return key
            heappop(keys)
        return None

    def pop(self) -> Key | None:
        """Remove and return the smallest key that is not stale; None if there is none."""
        return None if self.first() is None else heappop(self.keys)

    def replace(self, keys: list[Key], expected: int = 0) -> None:
        """Hold these sorted keys instead; at least `expected` more will come."""
        self.keys = keys
        self._limit = 2 * (len(keys) + expected) + 64


class ReadyHosts:
    """Holds all its mutable state in itself.

    `keys` has the key of each host; None while the host is not ready or, if it has been ready since before the last
    `install`, while its key is unknown. A key in a heap that is another object is stale. Invariant: each ready host
    without a key has a bound.
    """

    def __init__(self) -> None:
        """Begin without hosts."""
        self.keys: list[Key | None] = []
        self.heap = KeyHeap(self)
        self._place = 0
        self._bound: Key | None = None
        self._set_bounds(np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32))
        self._arrived: list[Head] = []

    def push(self, key: Key) -> None:
        """Make a host ready under this key."""
        self.keys[key[2]] = key
        self.heap.push(key)

    def push_bound(self, bound: Key) -> None:
        """Note the bound of a page that came to a ready host without a key."""
        heappush(self._arrived, bound)

    def next_bound(self) -> Key | None:
        """Return the smallest bound if it is less than every key, so that its host may come first."""
        first = self.heap.first()
        arrived = self._arrived[0] if self._arrived else None
        bound = self._bound if arrived is None or (self._bound is not None and self._bound < arrived) else arrived
        return bound if bound is not None and (first is None or bound < first) else None

    def drop_bound(self, bound: Key) -> None:
        """Drop the bound from `next_bound`: its host now has a key, or is no longer ready."""
        if self._bound is bound:
            self._place += 1
            self._bound = self._bound_at(self._place)
        else:
            heappop(self._arrived)

    def install(self, order: HostOrder, arrived: list[Head], is_ready: BoolArray, first: Iterable[int]) -> Garbage:
        """Forget all keys but those of the hosts `first`, which go before all pages.

        `is_ready` says of every host, shape (hosts,), whether it is ready and not one of them. For `arrived` see
        WaitingPages.install.
        """
        old, kept = self.keys, sorted(key for host in first if (key := self.keys[host]) is not None)
        garbage = Garbage(old, self.heap.keys, self._arrived)
        self.keys = [None] * len(old)
        for key in kept:
            self.keys[key[2]] = key
        chosen = is_ready[order.hosts]
        self.heap.replace(kept, int(chosen.sum()))
        self._set_bounds(order.head_keys[chosen], order.head_pages[chosen], order.hosts[chosen])
        self._arrived = arrived
        return garbage

    def _set_bounds(self, keys: FloatArray, pages: IntArray, hosts: IntArray) -> None:
        self._columns = keys.data, pages.data, hosts.data
        self._place = 0
        self._bound = self._bound_at(0)

    def _bound_at(self, place: int) -> Key | None:
        keys, pages, hosts = self._columns
        return (keys[place], pages[place], hosts[place]) if place < len(keys) else None
