"""Pages that were visited and will be visited again, by host. Pure.

A page to be retried is in one of three states:

    LATER ──► DUE: its time has come; due pages and pages never tried get the host's visits alternately
    DOUBTED: its visit failed in a way that may be the host's fault. The next other request to the host decides: if
             the host answers, the page was at fault; if this request fails, too, the host was.

So an outage does not make failures of pages final, and a few broken pages do not cause a host to be given up.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from hinterland.crawler.frontier.waiting_pages import Entry, WaitingPages


class Retries:
    """The pages to be retried. Mutable.

    Their hosts and urgencies are kept in `pages`, where they count as pages that were taken.
    """

    def __init__(self, pages: WaitingPages) -> None:
        """Begin with no page."""
        self._pages = pages
        self._later: list[tuple[float, int]] = []
        self._due: dict[int, list[Entry]] = {}
        self._doubted: dict[int, list[Entry]] = {}
        self._count = 0

    def __len__(self) -> int:
        """Return the number of pages to be retried."""
        return self._count

    def add_later(self, page: int, at: float) -> None:
        """Add a page that becomes due at `at`, in epoch seconds."""
        self._count += 1
        heappush(self._later, (at, page))

    @property
    def next_due_at(self) -> float | None:
        """When the next page becomes due, in epoch seconds; None if there is no such page."""
        return self._later[0][0] if self._later else None

    def next_later(self) -> int:
        """Return the page that becomes due next; there must be such a page."""
        return self._later[0][1]

    def make_due(self) -> int:
        """Make the next page due, and return the number of its host."""
        _, page = heappop(self._later)
        host = self._pages.host_of(page)
        heappush(self._due.setdefault(host, []), self._pages.entry_of(page))
        return host

    def add_due(self, page: int) -> None:
        """Add a page that is due immediately."""
        self._count += 1
        heappush(self._due.setdefault(self._pages.host_of(page), []), self._pages.entry_of(page))

    def doubt(self, page: int) -> None:
        """Add a doubted page: one whose visit failed in a way that may be its host's fault."""
        self._count += 1
        self._doubted.setdefault(self._pages.host_of(page), []).append(self._pages.entry_of(page))

    def clear_doubts(self, host: int) -> list[int]:
        """Remove and return the host's doubted pages, in the order of their failures."""
        entries = self._doubted.pop(host, [])
        self._count -= len(entries)
        return [page for _, page in entries]

    def is_doubting(self, host: int) -> bool:
        """Return whether the host has doubted pages."""
        return host in self._doubted

    def has_any(self, host: int) -> bool:
        """Return whether pages of the host are due or doubted."""
        return host in self._due or host in self._doubted

    def has_due(self, host: int) -> bool:
        """Return whether pages of the host are due."""
        return host in self._due

    def head(self, host: int) -> Entry | None:
        """Return the entry of the host's most urgent due page, or of a more urgent doubted page; None if there is none.

        Of the doubted pages, only the one that failed longest ago is considered.
        """
        due, doubted = self._due.get(host), self._doubted.get(host)
        if doubted is None:
            return None if due is None else due[0]
        return doubted[0] if due is None else min(due[0], doubted[0])

    def take_due(self, host: int) -> int:
        """Remove and return the host's most urgent due page."""
        heap = self._due[host]
        _, page = heappop(heap)
        if not heap:
            del self._due[host]
        self._count -= 1
        return page

    def take_doubted(self, host: int) -> int:
        """Remove and return the host's doubted page that failed longest ago."""
        entries = self._doubted[host]
        _, page = entries.pop(0)
        if not entries:
            del self._doubted[host]
        self._count -= 1
        return page

    def renew(self) -> None:
        """Update the urgencies in the entries after an order was installed."""
        for pages in (self._due, self._doubted):
            for entries in pages.values():
                entries[:] = [self._pages.entry_of(page) for _, page in entries]
        for entries in self._due.values():
            heapify(entries)

    def hosts(self) -> Iterator[int]:
        """Return the hosts with pages that are due or doubted."""
        return iter(self._due.keys() | self._doubted.keys())

    def unanswered(self) -> Iterator[int]:
        """Yield the host of each LATER or DOUBTED page, once per page."""
        for _, page in self._later:
            yield self._pages.host_of(page)
        for host, entries in self._doubted.items():
            for _ in entries:
                yield host
