"""The hosts that may be visited now, the most urgent first.

Every ready host has a key, by which a heap orders the hosts. A new order changes all keys, and computing the keys of
tens of thousands of hosts would take tens of milliseconds. So an order is installed lazily. All keys are forgotten, and
each ready host only has a *bound*: a lower bound of its future key. The thread that sorted the order also supplies
these bounds, sorted. The bounds of pages that arrived meanwhile, or arrive later at hosts without a key, are kept in a
heap of their own. When a host's bound is the smallest, its key is computed before any other host is visited.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

import numpy as np

from hinterland.crawler.frontier.garbage import Garbage
from hinterland.crawler.frontier.waiting_pages import BoolArray, FloatArray, Head, HostOrder, IntArray

Key = tuple[float, int, int]
"""(-urgency, page, host): unique; the smallest key is next."""


class KeyHeap:
    """A heap of keys of ready hosts. Stale keys are dropped at the top, or when they are the majority."""

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
        """Replace the contents by these sorted keys; about `expected` more keys will be pushed soon."""
        self.keys = keys
        self._limit = 2 * (len(keys) + expected) + 64


class ReadyHosts:
    """The ready hosts, with their keys and bounds. Mutable.

    `keys` holds the key of each host. It is None if the host is not ready, or if the host has been ready since before
    the last `install` and its key is still unknown. A key in a heap is stale if it is not the same object as in `keys`.
    Invariant: each ready host without a key has a bound.
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
        """Make a host ready, with this key."""
        self.keys[key[2]] = key
        self.heap.push(key)

    def push_bound(self, bound: Key) -> None:
        """Add a bound of the future key of a ready host without a key, because a page has arrived there."""
        heappush(self._arrived, bound)

    def next_bound(self) -> Key | None:
        """Return the smallest bound of a future key, if no key is smaller, so that its host may be next; else None."""
        if self._bound is None and not self._arrived:
            return None  # every ready host has its key
        first = self.heap.first()
        arrived = self._arrived[0] if self._arrived else None
        bound = self._bound if arrived is None or (self._bound is not None and self._bound < arrived) else arrived
        return bound if bound is not None and (first is None or bound < first) else None

    def drop_bound(self, bound: Key) -> None:
        """Drop the bound that `next_bound` returned, because its host now has a key, or is no longer ready."""
        if self._bound is bound:
            self._place += 1
            self._bound = self._bound_at(self._place)
        else:
            heappop(self._arrived)

    def install(self, order: HostOrder, arrived: list[Head], is_ready: BoolArray, first: Iterable[int]) -> Garbage:
        """Forget the keys of all hosts that are not in `first`; return the objects that are no longer used.

        The hosts in `first` come before all others, regardless of their pages' urgencies. `is_ready`, shape (hosts,),
        says which other hosts are ready. For `arrived` see WaitingPages.install.
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
