"""Finds the page that is due next, over all hosts. Pure.

It works like the frontier's `waiting_pages`, but a page returns after each visit.

The order has two parts. The *base* is one array of page numbers sorted by host, then by the time they are due; a host's
queue is a slice of it, and taking a page moves a cursor. Pages whose time has changed since the base was made, because
of a visit or a signal, are *moved*: until the next base they are in small heaps, one for each host. A new base may be
sorted from a snapshot in another thread: `begin` freezes the heaps, `sorted_by_due` is pure, `install` replaces the
base and drops the frozen heaps.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np
from numpy.typing import NDArray

DueArray = NDArray[np.uint32]
HostArray = NDArray[np.int32]

NEVER = 2**32 - 1
"""The time of a page that is never due."""

_WAITS, _MOVED, _MOVED_SINCE = 1, 2, 4
"""Bits of a page's state: it waits; its place in the base is outdated; it was moved after the snapshot for the next
base.
"""

_BULK = 4096
"""If at least this many pages are added together, they are sorted, not pushed one by one."""

Entry = tuple[int, int]
"""(due, page), where `due` is a time in seconds."""


@dataclass(frozen=True, slots=True)
class Base:
    """The sorted part of the order.

    `pages[starts[h]:starts[h + 1]]` are the pages of host h in the order in which they are due. `heads` is a heap of
    (due, page, host) with the first page of each host that has pages.
    """

    pages: NDArray[np.int32]
    starts: NDArray[np.int64]
    heads: list[tuple[int, int, int]]


def sorted_by_due(pages: NDArray[np.int64], hosts: HostArray, due: DueArray) -> Base:
    """Return the base of some pages, given in ascending order; all arrays have shape (k,)."""
    rank = np.argsort(hosts.astype(np.int64) << 32 | due, kind="stable")
    counts = np.bincount(hosts) if len(hosts) else np.zeros(0, np.int64)
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    present = np.flatnonzero(counts)
    first = rank[starts[present]]
    heads = list(zip(due[first].tolist(), pages[first].tolist(), present.tolist(), strict=True))
    heapify(heads)
    return Base(pages[rank].astype(np.int32), starts, heads)


class DueOrder:
    """All pages by the time they are due. Mutable. A page costs 9 bytes, and 4 more in the base."""

    def __init__(self) -> None:
        """Start without pages."""
        self.due: DueArray = np.zeros(0, np.uint32)
        self.hosts: HostArray = np.zeros(0, np.int32)
        self._state = np.zeros(0, np.uint8)
        self._due_of, self._state_of = self.due.data, self._state.data  # reading one number takes half the time
        self._moved: dict[int, list[Entry]] = {}
        self._frozen: dict[int, list[Entry]] = {}
        self._heads: list[tuple[int, int, int]] = []
        self._raised: dict[int, Entry] = {}
        self._held = set[int]()
        self._is_sorting = False
        self._set_base(sorted_by_due(np.zeros(0, np.int64), self.hosts, self.due))

    @property
    def moved_count(self) -> int:
        """The number of heap entries. Each takes about 120 bytes."""
        return sum(map(len, self._moved.values())) + sum(map(len, self._frozen.values()))

    def grow(self, page_count: int) -> None:
        """Make room for `page_count` pages."""
        missing = page_count - len(self.due)
        if missing > 0:
            self.due = np.append(self.due, np.zeros(missing, np.uint32))
            self.hosts = np.append(self.hosts, np.zeros(missing, np.int32))
            self._state = np.append(self._state, np.zeros(missing, np.uint8))
            self._due_of, self._state_of = self.due.data, self._state.data

    def waits(self, page: int) -> bool:
        """Return whether a page has a time at which it is due."""
        return bool(self._state[page] & _WAITS)

    def put(self, page: int, due: int) -> None:
        """Let a page wait until `due`, even if it waits already; its host must be set."""
        host = int(self.hosts[page])
        self._due_of[page] = due
        self._state_of[page] = _WAITS | _MOVED | _MOVED_SINCE
        heap = self._moved.setdefault(host, [])
        heappush(heap, (due, page))
        if heap[0] == (due, page) and host not in self._held:
            raised = self._raised.get(host)
            if raised is None or (due, page) < raised:
                self._raise((due, page), host)

    def put_all(self, pages: NDArray[np.int64], due: DueArray) -> None:
        """Do what `put` does for many pages, shape (k,) each."""
        if len(pages) < _BULK or self._is_sorting:
            for page, time in zip(pages.tolist(), due.tolist(), strict=True):
                self.put(page, time)
            return
        self.due[pages] = due
        self._state[pages] = _WAITS
        waiting = self.begin()
        self.install(sorted_by_due(waiting, self.hosts[waiting], self.due[waiting]), self.due)

    def remove(self, page: int) -> None:
        """Remove a page from the order."""
        self._state_of[page] = _MOVED | _MOVED_SINCE

    def hold(self, host: int) -> None:
        """Return no page of this host from `first` until `release` is called; the host's order is kept."""
        self._held.add(host)
        self._raised.pop(host, None)

    def release(self, host: int) -> None:
        """End what `hold` began for a host: return its pages again."""
        if host in self._held:
            self._held.discard(host)
            self._raise_head(host)

    def first(self) -> tuple[int, int, int] | None:
        """Return (due, page, host) of the page that is due first, on hosts that are not held; None if there is none."""
        heads = self._heads
        while heads:
            entry = heads[0]
            due, page, host = entry
            if self._raised.get(host) != (due, page):  # another entry stands for its host
                heappop(heads)
                continue
            if self._due_of[page] == due and self._state_of[page] & _WAITS:  # an earlier page would have been raised
                return entry
            heappop(heads)
            del self._raised[host]
            self._raise_head(host)
        return None

    def take_first(self) -> tuple[int, int, int]:
        """Remove the page that `first` returned, and return the same tuple."""
        entry = self._heads[0]
        _, page, host = entry
        self.remove(page)
        head = self._head(host)
        if head is None:
            heappop(self._heads)
            del self._raised[host]
        else:
            self._raised[host] = head
            heapreplace(self._heads, (*head, host))
        return entry

    def begin(self) -> NDArray[np.int64]:
        """Freeze the heaps, and return the waiting pages, ascending, from which to sort the next base.

        Raises RuntimeError if another base is being sorted.
        """
        if self._is_sorting:
            raise RuntimeError("another base is being sorted")
        self._is_sorting = True
        self._frozen, self._moved = self._moved, {}
        self._state &= ~np.uint8(_MOVED_SINCE)
        return np.flatnonzero(self._state & _WAITS)

    def install(self, base: Base, due: DueArray) -> None:
        """Install the base that was sorted from the snapshot.

        `due` holds a time for each page by page number: new times for the pages of the snapshot, and former times for
        all other pages. Pages moved after the snapshot keep their present times. Raises RuntimeError if no base is
        being sorted.
        """
        if not self._is_sorting:
            raise RuntimeError("no base is being sorted")
        before = slice(0, len(due))
        np.copyto(self.due[before], due, where=self._state[before] & _MOVED_SINCE == 0)
        self._state &= ~np.uint8(_MOVED)
        self._state[self._state & _MOVED_SINCE > 0] |= _MOVED
        self._frozen = {}
        self._is_sorting = False
        self._set_base(base)
        for host in list(self._moved):  # drops a heap of stale entries
            if host not in self._held:
                self._raise_head(host)

    def memory_bytes(self) -> int:
        """Return the bytes of the flat arrays, the base and the heaps (120 bytes for a heap entry)."""
        flat = self.due.nbytes + self.hosts.nbytes + self._state.nbytes + self._base.nbytes
        return flat + self._ends.nbytes + self._cursors.nbytes + 120 * (self.moved_count + len(self._heads))

    def _set_base(self, base: Base) -> None:
        self._base, self._ends = base.pages, base.starts[1:]
        self._cursors = base.starts[:-1].copy()
        self._base_of, self._ends_of = self._base.data, self._ends.data
        self._cursors_of = self._cursors.data
        self._heads = [entry for entry in base.heads if entry[2] not in self._held]
        heapify(self._heads)
        self._raised = {host: (due, page) for due, page, host in self._heads}

    def _raise_head(self, host: int) -> None:
        head = self._head(host)
        if head is not None and host not in self._held and self._raised.get(host) != head:
            self._raise(head, host)

    def _raise(self, head: Entry, host: int) -> None:
        """Make this entry the head of its host. The former head is dropped when it becomes the first of all heads."""
        self._raised[host] = head
        heappush(self._heads, (*head, host))

    def _head(self, host: int) -> Entry | None:
        """Return the entry of the host's page that is due first, or None. Drops stale entries."""
        best: Entry | None = None
        if host < len(self._ends):
            base, state, cursors = self._base_of, self._state_of, self._cursors_of
            cursor, end = cursors[host], self._ends_of[host]
            while cursor < end and state[base[cursor]] & _MOVED:
                cursor += 1
            cursors[host] = cursor
            if cursor < end:
                page = base[cursor]
                best = (self._due_of[page], page)
        for heaps in (self._moved, self._frozen):
            if host in heaps:
                found = self._first_of_heap(heaps, host)
                if found is not None and (best is None or found < best):
                    best = found
        return best

    def _stands(self, entry: Entry) -> bool:
        """Return whether the page still waits until the time in this entry."""
        due, page = entry
        return self._due_of[page] == due and bool(self._state_of[page] & _WAITS)

    def _first_of_heap(self, heaps: dict[int, list[Entry]], host: int) -> Entry | None:
        heap = heaps[host]
        while heap and not self._stands(heap[0]):
            heappop(heap)
        if heap:
            return heap[0]
        del heaps[host]
        return None
