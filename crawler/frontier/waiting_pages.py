"""The waiting pages of each host, the most urgent first.

Pages and hosts are dense numbers. A waiting page costs 17 bytes: its state (1 byte), host (4) and urgency (8) in flat
arrays indexed by page, and its place in the sorted order (4).

The order has two parts. The *base* is one array of page numbers sorted by (host, urgency) in a single vectorised step;
a host's queue is a slice of it, and taking a page moves a cursor. Pages found since then are kept in small heaps per
host, the *recent* part, until the next re-ordering merges them into the base. A re-ordering may run in another thread
on a snapshot while visits go on: `begin_reordering` freezes the recent heaps, `Reordering.sorted` is pure, `install`
swaps the base and drops the frozen heaps. A page that was taken meanwhile is still in the new base, but its state byte
causes it to be skipped.

Pages queued behind all other pages of their host, such as pages of endless spaces, are in neither part. Each host has a
separate heap for them, ordered by discovery.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf, isnan

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.frontier.garbage import Garbage

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Head = tuple[float, int, int]
"""(-urgency, page, host)."""
Entry = tuple[float, int]
"""(-urgency, page): sorts the most urgent page first and, of equally urgent pages, the one discovered first."""

BEHIND = -np.inf
"""The urgency of pages queued behind all others of their host. This is permanent: no policy ranks them again."""

_KNOWN, _WAITING, _TAKEN, _BEHIND = 0, 1, 2, 3
_BULK = 4096
"""If at least this many pages are added in one call, and they make up most of the waiting pages, they are sorted in one
step instead of being pushed one by one."""
_RECENT_FLOOR = 32_768
_RECENT_SHARE = 8
"""A re-ordering is due if there are more recent pages than max(floor, waiting / this number). A heap entry costs about
120 bytes."""


@dataclass(frozen=True, slots=True)
class HostOrder:
    """Page numbers sorted by host, then by urgency; the pages of host h are order[starts[h]:starts[h + 1]].

    urgencies[i] is the urgency of pages[i]. `hosts` are the hosts with a page, sorted by the urgency of their most
    urgent page, which is the Head (head_keys[i], head_pages[i], hosts[i]).
    """

    order: IntArray
    starts: IntArray
    pages: IntArray
    urgencies: FloatArray
    hosts: IntArray
    head_keys: FloatArray
    head_pages: IntArray


@dataclass(frozen=True, slots=True)
class Reordering:
    """A snapshot of all waiting pages (ascending), with their hosts and urgencies, shape (k,) each."""

    pages: IntArray
    hosts: IntArray
    urgencies: FloatArray
    host_count: int

    def sorted(self, urgencies: FloatArray | None = None) -> HostOrder:
        """Sort by host and urgency, using new urgencies of shape (k,) if given. Any thread may run it.

        Raises ValueError for a wrong shape or a NaN.
        """
        chosen = self.urgencies if urgencies is None else np.asarray(urgencies, np.float64)
        if chosen.shape != self.pages.shape:
            raise ValueError(f"got urgencies of shape {chosen.shape} for {self.pages.size} waiting pages")
        if np.isnan(chosen).any():
            raise ValueError("an urgency is NaN: the policy must return a number for every page")
        rank = np.lexsort((-chosen, self.hosts))
        starts = np.zeros(self.host_count + 1, np.int32)
        np.cumsum(np.bincount(self.hosts, minlength=self.host_count), out=starts[1:])
        hosts = np.flatnonzero(starts[1:] > starts[:-1]).astype(np.int32)
        heads = rank[starts[hosts]]
        by_urgency = np.lexsort((self.pages[heads], -chosen[heads]))
        hosts, heads = hosts[by_urgency], heads[by_urgency]
        return HostOrder(
            order=self.pages[rank],
            starts=starts,
            pages=self.pages,
            urgencies=chosen,
            hosts=hosts,
            head_keys=-chosen[heads],
            head_pages=self.pages[heads],
        )


class WaitingPages:
    """The queues of all hosts. Mutable; every method is synchronous and atomic.

    Invariant: every waiting page is in the base, in a frozen or recent heap of its host, or in the heap of pages
    behind. Entries of pages that no longer wait, or whose urgency has changed, are stale; they are dropped when they
    reach the head.
    """

    def __init__(self) -> None:
        """Begin with no page."""
        self._state = bytearray()
        self._host = array("i")
        self._urgency = array("d")
        self._recent: dict[int, list[Entry]] = {}
        self._frozen: dict[int, list[Entry]] = {}
        self._behind: dict[int, list[int]] = {}
        self._recent_count = 0
        self._frozen_count = 0
        self._waiting = 0
        self._reordering = False
        self._arrived: list[Head] = []
        self._set_base(np.empty(0, np.int32), np.zeros(1, np.int32))

    def __len__(self) -> int:
        """Return the number of waiting pages."""
        return self._waiting

    @property
    def wants_compaction(self) -> bool:
        """Whether enough pages are in heaps for a re-ordering to save memory."""
        return self._recent_count > max(_RECENT_FLOOR, self._waiting // _RECENT_SHARE)

    @property
    def is_reordering(self) -> bool:
        """Whether a re-ordering is under way."""
        return self._reordering

    def add(self, pages: IntArray, hosts: IntArray, urgencies: FloatArray) -> None:
        """Add pages that have not been added before; shape (k,) each.

        Raises ValueError for a page that is known already, or an urgency that is NaN.
        """
        if len(pages) == 0:
            return
        if len(pages) >= max(_BULK, self._waiting) and not self._reordering:
            self._add_in_bulk(pages, hosts, urgencies)
            return
        numbers, values = pages.tolist(), urgencies.tolist()
        if any(map(isnan, values)):  # faster than numpy for the few pages that most visits add
            raise ValueError("an urgency is NaN: the policy must return a number for every page")
        self._grow(max(numbers) + 1)
        for page, host, urgency in zip(numbers, hosts.tolist(), values, strict=True):
            if self._state[page] != _KNOWN:
                raise ValueError(f"page {page} was added to the frontier twice")
            self._state[page] = _WAITING
            self._host[page] = host
            self._urgency[page] = urgency
            if urgency == BEHIND:
                self._push_behind(page)
            else:
                self._push(host, (-urgency, page))
        self._waiting += len(pages)

    def _add_in_bulk(self, pages: IntArray, hosts: IntArray, urgencies: FloatArray) -> None:
        if np.isnan(urgencies).any():
            raise ValueError("an urgency is NaN: the policy must return a number for every page")
        self._grow(int(pages.max()) + 1)
        state = np.frombuffer(self._state, np.uint8)
        is_twice = state[pages] != _KNOWN
        if not (pages[1:] > pages[:-1]).all():
            is_twice[np.setdiff1d(np.arange(len(pages)), np.unique(pages, return_index=True)[1])] = True
        if is_twice.any():
            raise ValueError(f"page {pages[is_twice][0]} was added to the frontier twice")
        state[pages] = _WAITING
        np.frombuffer(self._host, np.int32)[pages] = hosts
        np.frombuffer(self._urgency, np.float64)[pages] = urgencies
        for page in pages[urgencies == BEHIND].tolist():
            self._push_behind(page)
        self._waiting += len(pages)
        self.install(self.begin_reordering().sorted())

    def take(self, host: int) -> int:
        """Remove and return the most urgent page of a host that has one."""
        entry = self.head(host)
        if entry is None:
            raise LookupError(f"no page of host {host} waits")
        if self._state[entry[1]] == _BEHIND:
            heappop(self._behind[host])
            if not self._behind[host]:
                del self._behind[host]
        self._state[entry[1]] = _TAKEN
        self._waiting -= 1
        return entry[1]

    def add_taken(self, page: int, host: int, urgency: float) -> None:
        """Add a page as if it had been added and then taken, so that it can be put back."""
        self._grow(page + 1)
        if self._state[page] != _KNOWN:
            raise ValueError(f"page {page} was added to the frontier twice")
        self._state[page], self._host[page], self._urgency[page] = _TAKEN, host, urgency

    def put_back(self, page: int) -> None:
        """Return a taken page to the queue, with its old urgency."""
        if self._state[page] != _TAKEN:
            raise ValueError(f"page {page} was not taken, so it cannot be put back")
        self._state[page] = _WAITING
        self._waiting += 1
        if self._urgency[page] == BEHIND:
            self._push_behind(page)
        else:
            self._push(self._host[page], (-self._urgency[page], page))

    def was_taken(self, page: int) -> bool:
        """Return whether a page has waited before, but does not wait now."""
        return page < len(self._state) and self._state[page] == _TAKEN

    def forget(self, page: int) -> None:
        """Forget a page that was taken, so that it may be added again."""
        if self._state[page] != _TAKEN:
            raise ValueError(f"page {page} was not taken, so it cannot be forgotten")
        self._state[page] = _KNOWN

    def put_behind(self, page: int) -> None:
        """Return a taken page to the queue, from now on behind all other pages of its host."""
        self._urgency[page] = BEHIND
        self.put_back(page)

    def is_behind(self, page: int) -> bool:
        """Return whether the page is queued behind all other pages of its host."""
        return self._urgency[page] == BEHIND

    def host_of(self, page: int) -> int:
        """Return the number of the page's host."""
        return self._host[page]

    def entry_of(self, page: int) -> Entry:
        """Return the entry by which heaps order the page: its present urgency, negated, and its number."""
        return (-self._urgency[page], page)

    def head(self, host: int) -> Entry | None:
        """Return the entry of a host's most urgent waiting page, or None. Drops stale entries on the way."""
        best: Entry | None = None
        if host < self._base_hosts:
            state, order = self._state, self._order
            cursor, end = self._cursors[host], self._ends[host]
            while cursor < end and state[order[cursor]] != _WAITING:
                cursor += 1
            self._cursors[host] = cursor
            if cursor < end:
                page = order[cursor]
                best = (-self._urgency[page], page)
        if host in self._recent:
            found = self._first_of_heap(self._recent, host)
            if found is not None and (best is None or found < best):
                best = found
        if host in self._frozen:
            found = self._first_of_heap(self._frozen, host)
            if found is not None and (best is None or found < best):
                best = found
        if best is None and host in self._behind:
            best = (inf, self._behind[host][0])
        return best

    def _first_of_heap(self, heaps: dict[int, list[Entry]], host: int) -> Entry | None:
        heap = heaps[host]
        dropped = len(heap)
        while heap and not self._is_current(heap[0]):
            heappop(heap)
        dropped -= len(heap)
        if heaps is self._recent:
            self._recent_count -= dropped
        else:
            self._frozen_count -= dropped
        if heap:
            return heap[0]
        del heaps[host]
        return None

    def _is_current(self, entry: Entry) -> bool:
        return self._state[entry[1]] == _WAITING and self._urgency[entry[1]] == -entry[0]

    def upcoming(self, host: int, count: int) -> list[int]:
        """Return up to `count` of a host's next pages, approximately in order, for reading ahead."""
        found: dict[int, None] = {}
        if host < self._base_hosts:
            ahead = self._order[self._cursors[host] : min(self._ends[host], self._cursors[host] + count)]
            found.update(dict.fromkeys(ahead))
        for heaps in (self._recent, self._frozen):
            found.update((page, None) for _, page in heaps.get(host, ())[:count])
        waiting = [page for page in found if self._state[page] == _WAITING]
        waiting = sorted(waiting, key=self._urgency.__getitem__, reverse=True)[:count]
        return waiting + self._behind.get(host, [])[: count - len(waiting)]

    def waiting_by_host(self, host_count: int) -> IntArray:
        """Return the number of waiting pages of each host, shape (host_count,)."""
        states = np.frombuffer(self._state, np.uint8)
        hosts = np.frombuffer(self._host, np.int32)[(states == _WAITING) | (states == _BEHIND)]
        return np.bincount(hosts, minlength=host_count).astype(np.int32)

    def urgencies(self) -> tuple[IntArray, FloatArray]:
        """Return the waiting pages, ascending, and their urgencies, shape (k,) each, as copies.

        Pages queued behind all other pages of their host are left out.
        """
        pages = self._waiting_numbers()
        return pages, np.frombuffer(self._urgency, np.float64)[pages]

    def begin_reordering(self) -> Reordering:
        """Freeze the recent part and return a snapshot to sort. Only one re-ordering may be under way."""
        if self._reordering:
            raise RuntimeError("a re-ordering is under way already")
        self._reordering = True
        self._frozen, self._frozen_count = self._recent, self._recent_count
        self._recent, self._recent_count = {}, 0
        pages = self._waiting_numbers()
        hosts = np.frombuffer(self._host, np.int32)[pages]
        urgencies = np.frombuffer(self._urgency, np.float64)[pages]
        host_count = int(hosts.max()) + 1 if len(hosts) else 0
        return Reordering(pages, hosts, urgencies, host_count)

    def install(self, sorted_pages: HostOrder) -> tuple[list[Head], Garbage]:
        """Make the result of the re-ordering under way the new base.

        Returns two things. The first is a heap of pages found during the re-ordering that were the most urgent page of
        their host when they were found; some may no longer wait. The second holds the objects to free.
        """
        if not self._reordering:
            raise RuntimeError("no re-ordering is under way")
        urgencies = np.frombuffer(self._urgency, np.float64)
        is_behind = urgencies[sorted_pages.pages] == BEHIND
        urgencies[sorted_pages.pages] = np.where(is_behind, BEHIND, sorted_pages.urgencies)
        self._set_base(sorted_pages.order, sorted_pages.starts)
        garbage, self._frozen, self._frozen_count = Garbage(self._frozen), {}, 0
        arrived, self._arrived = self._arrived, []
        arrived += [(inf, pages[0], host) for host, pages in self._behind.items()]  # still a heap
        self._reordering = False
        return arrived, garbage

    def memory_bytes(self) -> int:
        """Return the size in bytes of the flat arrays and of the heaps, counting 120 bytes per heap entry."""
        flat = len(self._state) + 4 * len(self._host) + 8 * len(self._urgency)
        base = 4 * len(self._order) + 8 * self._base_hosts
        heaps = 40 * sum(map(len, self._behind.values()))
        heaps += 120 * (self._recent_count + self._frozen_count) + 200 * (len(self._recent) + len(self._frozen))
        return flat + base + heaps

    def _set_base(self, order: IntArray, starts: IntArray) -> None:
        """Set the base as plain memoryviews: reading an element is three times as fast as through numpy."""
        self._order = order.data
        self._cursors = starts[:-1].copy().data
        self._ends = starts[1:].copy().data
        self._base_hosts = len(self._ends)

    def _push(self, host: int, entry: Entry) -> None:
        heap = self._recent.get(host)
        if heap is None:
            heap = self._recent[host] = [entry]
        else:
            heappush(heap, entry)
        self._recent_count += 1
        if self._reordering and heap[0] is entry:
            heappush(self._arrived, (*entry, host))

    def _push_behind(self, page: int) -> None:
        self._state[page] = _BEHIND
        heappush(self._behind.setdefault(self._host[page], []), page)

    def _waiting_numbers(self) -> IntArray:
        states = np.frombuffer(self._state, np.uint8)
        return np.flatnonzero(states == _WAITING).astype(np.int32)

    def _grow(self, page_count: int) -> None:
        missing = page_count - len(self._state)
        if missing > 0:
            self._state.extend(bytes(missing))
            self._host.frombytes(bytes(4 * missing))
            self._urgency.frombytes(bytes(8 * missing))
