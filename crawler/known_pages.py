"""Every page and host a crawl has heard of: numbers for URLs, and whether they are ours to fetch. Pure.

Dense numbers are given in the order of discovery. Per page it keeps the URL's slot in the table, a byte of
flags and two bytes of depth; URLs themselves are in the store.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crawler.outcomes import PageState
from crawler.scope import Scope
from crawler.url_table import UrlTable
from crawler.urls import site_of
from storage.records import HostRecord, PageRecord

IntArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]

_LOCAL = 1
_ADMITTED = 2
_MAX_DEPTH = 65_535
_WAITING, _KNOWN = PageState.WAITING.value, PageState.KNOWN.value  # sqlite3 looks for an adapter for an enum


@dataclass(slots=True)
class Findings:
    """What one visit brought to light: new hosts and pages, and which pages wait from now on.

    admitted: numbers of pages, new or known before, to be fetched; admitted_hosts and admitted_urls (None:
    only the store knows it) go with them. readmitted, nearer: (page, depth) of pages known before that wait
    now, or were found on a shorter way.
    """

    new_hosts: list[HostRecord] = field(default_factory=list)
    new_pages: list[PageRecord] = field(default_factory=list)
    admitted: list[int] = field(default_factory=list)
    admitted_hosts: list[int] = field(default_factory=list)
    admitted_urls: list[str | None] = field(default_factory=list)
    readmitted: list[tuple[int, int]] = field(default_factory=list)
    nearer: list[tuple[int, int]] = field(default_factory=list)


class KnownPages:
    """Mutable: grows with every visit. max_depth None means no limit."""

    def __init__(self, scope: Scope, *, max_depth: int | None) -> None:
        self._scope = scope
        self._max_depth = _MAX_DEPTH if max_depth is None else min(max_depth, _MAX_DEPTH)
        self._table = UrlTable()
        self._host_numbers: dict[str, int] = {}
        self.host_urls: list[str] = []
        self._host_is_local: dict[int, bool] = {}
        self._page_hosts = array("i")
        self._flags = bytearray()
        self._depths = array("H")
        self.local_count = 0

    def __len__(self) -> int:
        return len(self._flags)

    def depth_of(self, page: int) -> int:
        return self._depths[page]

    def host_of(self, page: int) -> int:
        return self._page_hosts[page]

    def is_local(self, page: int) -> bool:
        return bool(self._flags[page] & _LOCAL)

    def local_mask(self) -> BoolArray:
        """Whether each page is local, shape (n,); a copy."""
        return (np.frombuffer(self._flags, np.uint8) & _LOCAL).astype(np.bool_)

    def hosts(self) -> IntArray:
        """The host of each page, shape (n,); a copy."""
        return np.frombuffer(self._page_hosts, np.int32).copy()

    def find(self, url: str) -> int | None:
        page = self._table.find(url)
        return None if page < 0 else page

    def memory_bytes(self) -> int:
        return self._table.memory_bytes() + 7 * len(self._flags)

    # ---------------------------------------------------------------- restoring from a store

    def restore_host(self, url: str) -> int:
        number = self._host_numbers[url] = len(self.host_urls)
        self.host_urls.append(url)
        return number

    def restore_page(self, url: str, host: int, *, is_local: bool, is_admitted: bool, depth: int) -> None:
        self._table.add(url, len(self))
        self._append([host], bytes([_LOCAL * is_local | _ADMITTED * is_admitted]), depth)

    # ---------------------------------------------------------------- discovery

    def add_seeds(self, urls: Sequence[str], findings: Findings) -> None:
        """Seeds are depth 0 and draw the scope; an excluded one is known, but not fetched."""
        for url in urls:
            self._widen_scope(url, findings)
        for url in urls:
            self._meet(url, findings, 0, None)

    def add_redirect(self, url: str, source: int, redirects: int, findings: Findings) -> int:
        """The target of a redirect is as deep as its source; a seed's is a seed, so the domain follows it."""
        depth = self._depths[source]
        if depth == 0 and self.is_local(source):
            self._widen_scope(url, findings)
        return self._meet(url, findings, depth, source, redirects)

    def add_links(
        self, urls: Sequence[str], is_followed: Callable[[int], bool] | None, source: int, findings: Findings
    ) -> list[int]:
        """Page numbers of the links of a page, shape (k,). is_followed tells which positions may be
        followed; None: all."""
        numbers = self._table.find_all(urls)
        depth = min(self._depths[source] + 1, _MAX_DEPTH)
        flags, depths = self._flags, self._depths
        limited = self._max_depth < _MAX_DEPTH
        new: dict[str, bool] = {}
        for position, number in enumerate(numbers):
            if number < 0:
                url = urls[position]
                new[url] = new.get(url, False) or is_followed is None or is_followed(position)
            elif (flags[number] == _LOCAL or (limited and depths[number] > depth)) and (
                is_followed is None or is_followed(position)
            ):
                self._meet_again(urls[position], number, findings, depth)
        if new:
            self._discover(new, findings, depth, source)
            for position, number in enumerate(numbers):
                if number < 0:
                    numbers[position] = self._table.find(urls[position])
        return numbers

    def _widen_scope(self, seed: str, findings: Findings) -> None:
        """Let a seed draw the scope wider, and take in what was known before and turns out to be inside.

        With prefixes or patterns that is only the seed itself, since the URLs of the others are not at hand;
        they become local when their host decides, as it does with the scopes "hosts" and "site".
        """
        self._scope.add_seed(seed)
        self._host_is_local.clear()
        if not self._flags:
            return
        if not self._scope.decides_by_host:
            number = self._table.find(seed)
            if number >= 0 and not self._flags[number] and self._scope.is_local(seed):
                self._take_in(number)
            return
        outside = np.flatnonzero(np.frombuffer(self._flags, np.uint8) == 0)
        hosts = np.frombuffer(self._page_hosts, np.int32)[outside]
        for host in np.unique(hosts).tolist():
            if self._scope.is_local(f"{self.host_urls[host]}/"):
                for number in outside[hosts == host].tolist():
                    self._take_in(number)
                    self._admit_known(number, None, findings)

    def _take_in(self, number: int) -> None:
        self._flags[number] = _LOCAL
        self.local_count += 1

    def host_number(self, url: str, findings: Findings) -> int:
        """The number of the host ("https://a.example") of which a URL was seen."""
        number = self._host_numbers.get(url)
        if number is None:
            number = self.restore_host(url)
            findings.new_hosts.append(HostRecord(number, url, site_of(url)))
        return number

    def _meet(self, url: str, findings: Findings, depth: int, referrer: int | None, redirects: int = 0) -> int:
        """See a URL, known or new, at this depth; admit it if that is due."""
        number = self._table.find(url)
        if number < 0:
            number = len(self._flags)
            self._discover({url: True}, findings, depth, referrer, redirects)
        else:
            self._meet_again(url, number, findings, depth)
        return number

    def _meet_again(self, url: str, number: int, findings: Findings, depth: int) -> None:
        if depth < self._depths[number]:
            self._depths[number] = depth
            findings.nearer.append((number, depth))
        if self._flags[number] == _LOCAL:
            self._admit_known(number, url, findings)

    def _discover(
        self, urls: Mapping[str, bool], findings: Findings, depth: int, referrer: int | None, redirects: int = 0
    ) -> None:
        """Number new URLs in their order; the values tell which may be followed. A page brings up several, so
        this is one loop without calls."""
        first = len(self._flags)
        host_numbers, host_is_local = self._host_numbers, self._host_is_local
        by_host, within = self._scope.decides_by_host, depth <= self._max_depth
        records, flags, hosts = findings.new_pages, bytearray(), list[int]()
        for number, (url, follow) in enumerate(urls.items(), first):
            host_url = url[: url.index("/", 8)]
            host = host_numbers.get(host_url)
            if host is None:
                host = self.host_number(host_url, findings)
            is_local = host_is_local.get(host) if by_host else self._scope.is_local(url)
            if is_local is None:
                is_local = host_is_local[host] = self._scope.is_local(url)
            hosts.append(host)
            if is_local and follow and within:
                flags.append(_LOCAL | _ADMITTED)
                records.append(PageRecord(number, url, host, _WAITING, 1, depth, referrer, redirects))
                findings.admitted.append(number)
                findings.admitted_hosts.append(host)
                findings.admitted_urls.append(url)
            else:
                flags.append(_LOCAL if is_local else 0)
                records.append(PageRecord(number, url, host, _KNOWN, int(is_local), depth, referrer, redirects))
        self._table.add_all(urls, first)
        self._append(hosts, flags, depth)

    def _admit_known(self, number: int, url: str | None, findings: Findings) -> None:
        if self._depths[number] <= self._max_depth:
            self._flags[number] |= _ADMITTED
            findings.readmitted.append((number, self._depths[number]))
            findings.admitted.append(number)
            findings.admitted_hosts.append(self._page_hosts[number])
            findings.admitted_urls.append(url)

    def _append(self, hosts: Sequence[int], flags: bytes | bytearray, depth: int) -> None:
        self._page_hosts.extend(hosts)
        self._flags.extend(flags)
        self._depths.extend([min(depth, _MAX_DEPTH)] * len(flags))
        self.local_count += len(flags) - flags.count(0)
