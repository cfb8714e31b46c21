"""Hosts whose pages can no longer be visited: given up, or at their page limit. Pure."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.frontier.hosts import HostState
from hinterland.crawler.frontier.waiting_pages import BoolArray


class ClosedHosts:
    """Counts the waiting pages of hosts, and how many of them are stranded at closed hosts. Mutable."""

    def __init__(self, max_pages: float) -> None:
        """Begin without hosts. `max_pages` limits the pages fetched from one host; inf means no limit."""
        self._max_pages = max_pages
        self._is_closed = bytearray()
        self.stranded = 0
        """The number of pages that wait at closed hosts."""
        self.closings = 0
        """How often a host was closed or reopened."""

    def add(self, *, is_given_up: bool, fetched: int) -> None:
        """Add the next host, which has no waiting pages yet."""
        self._is_closed.append(is_given_up or fetched >= self._max_pages)

    def __getitem__(self, number: int) -> bool:
        """Return whether a host is closed."""
        return bool(self._is_closed[number])

    def mask(self) -> BoolArray:
        """Return whether each host is closed, shape (hosts,)."""
        return np.frombuffer(self._is_closed, np.uint8).astype(np.bool_)

    def is_full(self, host: HostState) -> bool:
        """Return whether a host is at its page limit."""
        return host.fetched >= self._max_pages

    def waits(self, host: HostState, count: int = 1) -> None:
        """Add `count` to the number of a host's waiting pages."""
        host.waiting += count
        self.stranded += count * self._is_closed[host.number]

    def close(self, host: HostState) -> None:
        """Note that the host's pages can no longer be visited."""
        if not self._is_closed[host.number]:
            self._is_closed[host.number] = True
            self.stranded += host.waiting
            self.closings += 1

    def reopen(self, host: HostState) -> None:
        """Note that the host is no longer given up. If it is at its page limit, it stays closed."""
        if self._is_closed[host.number] and not self.is_full(host):
            self._is_closed[host.number] = False
            self.stranded -= host.waiting
            self.closings += 1
