"""Chooses the sitemap to request next.

A host's turn comes when one of its sitemaps is due and its budget allows a request; the earliest turn is next. Within a
host, sitemaps that no index lists come first, since they name the others.
"""

from __future__ import annotations

from heapq import heappop, heappush

from hinterland.crawler.features.sitemaps.host_budget import BudgetLimits, HostBudget
from hinterland.crawler.features.sitemaps.row_table import RowTable
from hinterland.crawler.features.sitemaps.rows import SitemapRow

_Waiting = list[tuple[float, str]]
"""A heap of (due time, URL or host); outdated entries stay in it and are skipped."""


class DueSitemaps:
    """The sitemaps that wait until their `next_at`; retired sitemaps are left out. Mutable."""

    def __init__(self, rows: RowTable, limits: BudgetLimits) -> None:
        """Start with the rows of `rows` that are not retired."""
        self._rows = rows
        self._limits = limits
        self._hosts: dict[str, _HostQueue] = {}
        self._turns: _Waiting = []
        for row in rows.all():
            self.push(row)

    def push(self, row: SitemapRow) -> None:
        """Let a sitemap wait until the next_at of its row, which must be set."""
        if row.retired is None:
            queue = self._queue(row.host)
            heappush(queue.of_indexes if row.depth else queue.roots, (row.next_at, row.url))
            self._give_turn(row.host, queue, row.next_at)

    def pop(self, now: float) -> SitemapRow | None:
        """Remove and return a row that is due; None if there is none."""
        while (at := self.next_at()) is not None and at <= now:
            host = heappop(self._turns)[1]
            queue = self._hosts[host]
            queue.turn = None
            row = self._due_of(queue, now)
            if row is not None:
                return row
        return None

    def next_at(self) -> float | None:
        """Return the earliest time at which a sitemap may be due; None if none waits."""
        while self._turns:
            at, host = self._turns[0]
            if self._hosts[host].turn == at:
                return at
            heappop(self._turns)
        return None

    def page_visited(self, host: str) -> None:
        """Count a visit to a page of a host, which allows more requests for its sitemaps."""
        if self._rows.has_host(host):
            self._queue(host).budget.page_visited()

    def _due_of(self, queue: _HostQueue, now: float) -> SitemapRow | None:
        """Return a due row of the host whose turn it is, and set the host's next turn.

        Returns None if no row is due, or if the host's budget does not allow a request yet.
        """
        heaps = [(heap, row) for heap in (queue.roots, queue.of_indexes) if (row := self._first(heap)) is not None]
        due = [(heap, row) for heap, row in heaps if row.next_at <= now]
        if not due:
            if heaps:
                first = min((row for _, row in heaps), key=lambda row: row.next_at)
                self._give_turn(first.host, queue, first.next_at)
            return None
        heap, row = due[0]
        wait = queue.budget.wait(now)
        self._give_turn(row.host, queue, now + wait)
        if wait > 0:
            return None
        heappop(heap)
        queue.budget.spend()
        return row

    def _first(self, heap: _Waiting) -> SitemapRow | None:
        while heap:
            at, url = heap[0]
            row = self._rows.get(url)
            if row is not None and row.retired is None and row.next_at == at:
                return row
            heappop(heap)
        return None

    def _give_turn(self, host: str, queue: _HostQueue, at: float) -> None:
        if queue.turn is None or at < queue.turn:
            queue.turn = at
            heappush(self._turns, (at, host))

    def _queue(self, host: str) -> _HostQueue:
        queue = self._hosts.get(host)
        if queue is None:
            queue = self._hosts[host] = _HostQueue(self._limits)
        return queue


class _HostQueue:
    """The waiting sitemaps of one host. `turn` is when to check the host, None if none waits. Mutable."""

    __slots__ = ("budget", "of_indexes", "roots", "turn")

    def __init__(self, limits: BudgetLimits) -> None:
        self.roots: _Waiting = []
        self.of_indexes: _Waiting = []
        self.turn: float | None = None
        self.budget = HostBudget(limits)
