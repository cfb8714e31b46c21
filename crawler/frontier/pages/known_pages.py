"""All pages and hosts that a crawl knows: maps URLs to page numbers, and says which pages may be fetched. Pure.

Pages get numbers in the order of discovery, without gaps. Each page takes a slot in the table of URLs, two bytes of
flags and two of depth; the URLs themselves are in the store. A page is *admitted* once it has been decided that it will
be fetched. An outside page is a *candidate* if a link that may be followed leads to it, and it is not admitted.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import count

import numpy as np

from hinterland.analysis.graph import BoolArray, IntArray
from hinterland.analysis.graph_delta import NameArray
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.host_url_limit import HostUrlLimit
from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.urls.hosts import host_of, site_of
from hinterland.crawler.urls.url_names import UrlNames
from hinterland.crawler.urls.url_table import UrlTable
from hinterland.storage.values.records import HostRecord, PageRecord

_LOCAL = 1
_ADMITTED = 2
_FOLLOWED = 4  # an outside page to which a link that may be followed leads
_EXCLUDED = 8  # an outside page that is never fetched
_FETCHED = 16  # an outside page that was fetched
_UNDECIDED, _OUTSIDE, _INSIDE = range(3)
"""Whether a host is inside the domain, outside, or not decided yet."""
_MAX_DEPTH = 65_535
_WAITING, _KNOWN = PageState.WAITING.value, PageState.KNOWN.value  # sqlite3 would look for an adapter of an enum


class KnownPages:
    """The pages and hosts known so far. Mutable: grows with every visit.

    `HostUrlLimit` limits the URLs kept of each host. It applies to targets of links; seeds and targets of redirects are
    always kept.
    """

    def __init__(
        self,
        scope: Scope,
        *,
        max_depth: int | None,
        max_urls_per_host: int | None = None,
        names: UrlNames | None = None,
    ) -> None:
        """Begin with no page.

        `max_depth` is None for no limit. `names` is given if pages need names that all shards understand.
        """
        self._scope = scope
        self._has_excluded = scope.has_excluded
        self.max_depth = _MAX_DEPTH if max_depth is None else min(max_depth, _MAX_DEPTH)
        self._url_limit = HostUrlLimit(max_urls_per_host)
        self._table = UrlTable()
        self._names = names
        self._host_numbers: dict[str, int] = {}
        self.host_urls: list[str] = []
        self._host_sides = bytearray()
        self._page_hosts = array("i")
        self._flags = bytearray()
        self._depths = array("H")
        self._linked_again = bytearray()
        self.local_count = 0
        self.elsewhere = 0
        """The number of pages that wait, or were visited, in other shards of the crawl."""
        self.has_stale_depths = False
        """Whether recorded depths may be too large, because a shorter path to some page was found after its links were
        read."""

    def __len__(self) -> int:
        """Return the number of known pages."""
        return len(self._flags)

    def depth_of(self, page: int) -> int:
        """Return the depth of a page, by the shortest path found so far."""
        return self._depths[page]

    def depths(self) -> IntArray:
        """Return the depth of each page, by the shortest path found so far, shape (n,); a copy."""
        return np.frombuffer(self._depths, np.uint16).astype(np.int32)

    def host_of(self, page: int) -> int:
        """Return the number of a page's host."""
        return self._page_hosts[page]

    def hosts_of(self, pages: IntArray) -> IntArray:
        """Return the hosts of some pages, shape (k,). For -1, which stands for no page, the value is arbitrary."""
        return np.frombuffer(self._page_hosts, np.int32)[pages]

    def is_linked_once(self, page: int) -> bool:
        """Return whether a page found in this run has been linked from only one page so far."""
        return not self._linked_again[page]

    def is_admitted(self, page: int) -> bool:
        """Return whether a page is queued, is being visited or was visited, here or in another shard."""
        return bool(self._flags[page] & _ADMITTED)

    def is_local(self, page: int) -> bool:
        """Return whether a page belongs to the local domain."""
        return bool(self._flags[page] & _LOCAL)

    def local_mask(self) -> BoolArray:
        """Return whether each page is local, shape (n,); a copy."""
        return (np.frombuffer(self._flags, np.uint8) & _LOCAL).astype(np.bool_)

    def outside_mask(self) -> BoolArray:
        """Return whether each page is outside the domain, shape (n,); a copy."""
        return ~self.local_mask()

    def hosts(self) -> IntArray:
        """Return the host of each page, shape (n,); a copy."""
        return np.frombuffer(self._page_hosts, np.int32).copy()

    @property
    def has_names(self) -> bool:
        """Whether the names of pages, which are hashes of their URLs, are kept for the other shards."""
        return self._names is not None

    def names_since(self, first: int) -> NameArray:
        """Return the names (hashes of URLs) of pages from number `first` on; a copy. Call this only if `has_names`."""
        assert self._names is not None
        return self._names.since(first)

    # ---------------------------------------------------------------- pages outside

    def is_candidate(self, page: int) -> bool:
        """Return whether an outside page may be admitted, because a link that may be followed leads to it."""
        return self._flags[page] == _FOLLOWED

    def are_candidates(self, pages: IntArray) -> BoolArray:
        """Return whether each of some pages is a candidate, shape (k,)."""
        return np.equal(np.frombuffer(self._flags, np.uint8)[pages], _FOLLOWED)

    def candidates(self) -> IntArray:
        """Return the outside pages that may be admitted, ascending."""
        return np.flatnonzero(np.frombuffer(self._flags, np.uint8) == _FOLLOWED).astype(np.int32)

    def new_candidates(self, discoveries: Discoveries) -> list[int]:
        """Return the pages that became candidates through a visit, in the order of discovery."""
        flags = self._flags
        new = [each.number for each in discoveries.new_pages if flags[each.number] == _FOLLOWED]
        return sorted(new + [page for page in discoveries.followed if flags[page] == _FOLLOWED])

    def admit_outside(self, pages: Sequence[int], discoveries: Discoveries) -> None:
        """Admit candidates, so that they are fetched; skip pages that are no longer candidates."""
        for page in pages:
            if self.is_candidate(page):
                self._admit_outside(page, None, discoveries)

    def withdraw(self, page: int) -> None:
        """Make an outside page a candidate again, after it was admitted but not visited."""
        self._flags[page] = _FOLLOWED

    def note_fetched(self, page: int) -> None:
        """Note that an outside page was fetched."""
        self._flags[page] |= _FETCHED

    def was_fetched_outside(self, page: int) -> bool:
        """Return whether a page was fetched while it was outside the domain."""
        return bool(self._flags[page] & _FETCHED)

    @property
    def extent(self) -> tuple[int, int]:
        """The number of pages and the number of hosts known so far."""
        return len(self._flags), len(self.host_urls)

    def find(self, url: str) -> int | None:
        """Return the number of the page with this canonical URL; None if the page is unknown."""
        page = self._table.find(url)
        return None if page < 0 else page

    def find_host_of(self, url: str) -> int | None:
        """Return the number of the host of this canonical URL; None if the host is unknown."""
        return self._host_numbers.get(host_of(url))

    def find_host(self, url: str) -> int | None:
        """Return the number of the host with this URL; None if the host is unknown."""
        return self._host_numbers.get(url)

    def memory_bytes(self) -> int:
        """Return the size in bytes of the data about known pages."""
        return self._table.memory_bytes() + 8 * len(self._flags)

    # ---------------------------------------------------------------- restoring from a store

    def restore_host(self, url: str, answered: int = 0) -> int:
        """Restore the next host and return its number; `answered` is the number of its pages that were fetched."""
        number = self._host_numbers[url] = len(self.host_urls)
        if answered:
            self._url_limit.answered(number, answered)
        self.host_urls.append(url)
        self._host_sides.append(_UNDECIDED)
        self._url_limit.host_added()
        return number

    def restore_pages(
        self,
        urls: Sequence[str],
        hosts: IntArray,
        depths: IntArray,
        *,
        is_local: BoolArray,
        is_admitted: BoolArray,
        is_followed: BoolArray,
        is_fetched: BoolArray,
    ) -> None:
        """Restore the next pages, given in columns of shape (k,).

        `is_followed` says whether a link that may be followed leads to a page, and `is_fetched` whether it was fetched;
        both matter only for outside pages.
        """
        flags = (_LOCAL * is_local | _ADMITTED * is_admitted).astype(np.uint8)
        outside = ~is_local
        flags[outside & is_fetched] |= _FETCHED
        is_excluded = np.zeros(len(urls), np.bool_)
        if self._has_excluded:
            places = np.flatnonzero(outside).tolist()
            is_excluded[[place for place in places if self._scope.is_excluded(urls[place])]] = True
        flags[outside & is_excluded] |= _EXCLUDED
        flags[outside & is_followed & ~is_excluded] |= _FOLLOWED
        self._table.add_all(urls, len(self))
        if self._names is not None:
            self._names.add_all(urls)
        self._page_hosts.frombytes(hosts.astype(np.int32).tobytes())
        self._flags.extend(flags.tobytes())
        self._linked_again.extend(b"\1" * len(flags))  # earlier runs did not count the links to them
        self._depths.frombytes(np.minimum(depths, _MAX_DEPTH).astype(np.uint16).tobytes())
        self.local_count += int(((flags & ~np.uint8(_ADMITTED)) == _LOCAL).sum())

    def restore_handed_over(self, pages: Sequence[int]) -> None:
        """Mark pages that wait, or were visited, in other shards."""
        for page in pages:
            self._flags[page] |= _ADMITTED

    # ---------------------------------------------------------------- discovery

    def add_seeds(self, urls: Sequence[str], discoveries: Discoveries) -> None:
        """Add seeds, at depth 0; they define the scope. An excluded seed is known, but not fetched."""
        for url in urls:
            self._widen_scope(url, discoveries)
        for url in urls:
            self._meet(url, discoveries, 0, None)

    def add_found(self, url: str, discoveries: Discoveries) -> int:
        """Add a page found in an archive, at depth 1 if it is new; return its number."""
        number = self._table.find(url)
        return number if number >= 0 else self._meet(url, discoveries, 1, None)

    def add_handed_over(self, url: str, depth: int, redirects: int, discoveries: Discoveries) -> int:
        """Add a page of the domain that another shard has found; return its number.

        A page of depth 0 extends the scope like a seed. A page at any other depth becomes local even if it is outside
        the scope here, since the other shard's domain may have grown already.
        """
        if not depth:
            self._widen_scope(url, discoveries)
        number = self._meet(url, discoveries, depth, None, redirects)
        if depth and not self.is_local(number):
            self._take_in(number, discoveries)
            if self._flags[number] == _LOCAL:
                self._admit_known(number, url, discoveries)
        return number

    def add_redirect(self, url: str, source: int, redirects: int, discoveries: Discoveries) -> int:
        """Add the target of a redirect, at the depth of its source; return its number.

        The target of a seed becomes a seed, so that the domain follows a site that has moved. The target of an outside
        page is admitted, too.
        """
        depth = self._depths[source]
        if depth == 0 and self.is_local(source):
            self._widen_scope(url, discoveries)
        page = self._meet(url, discoveries, depth, source, redirects)
        if not self.is_local(source) and self.is_candidate(page):
            self._admit_outside(page, url, discoveries)
        return page

    def add_links(
        self, urls: Sequence[str], is_followed: Callable[[int], bool] | None, source: int, discoveries: Discoveries
    ) -> list[int]:
        """Add the links of a page; return the numbers of their targets, shape (k,), -1 for links that are not kept.

        `is_followed` returns whether the link at a position in `urls` may be followed; None means that all links may
        be.
        """
        self._url_limit.answered(self._page_hosts[source])
        numbers = self._table.find_all(urls)
        depth = min(self._depths[source] + 1, _MAX_DEPTH)
        flags, depths, linked_again = self._flags, self._depths, self._linked_again
        limited = self.max_depth < _MAX_DEPTH
        new: dict[str, bool] = {}
        for position, number in enumerate(numbers):
            if number < 0:
                url = urls[position]
                new[url] = new.get(url, False) or is_followed is None or is_followed(position)
                continue
            linked_again[number] = 1
            if (flags[number] <= _LOCAL or (limited and depths[number] > depth)) and (
                is_followed is None or is_followed(position)
            ):
                self._meet_again(urls[position], number, discoveries, depth)
        kept = self._url_limit.kept(new, self._host_numbers, self._page_hosts)
        discoveries.urls_left_out += len(new) - len(kept)
        if kept:
            new_numbers = dict(zip(kept, count(len(self._flags)), strict=False))
            self._discover(kept, discoveries, depth, source)
            for position, number in enumerate(numbers):
                if number < 0:
                    numbers[position] = new_numbers.get(urls[position], -1)
        return numbers

    def relax_depths(self, depths: IntArray, followed: IntArray, discoveries: Discoveries) -> None:
        """Take over new depths, shape (n,), and admit the pages that are now within the limit.

        `followed` holds the targets of links that may be followed; no other page is admitted.
        """
        self.has_stale_depths = False
        for number in np.flatnonzero(depths < self.depths()[: len(depths)]).tolist():
            self._depths[number] = int(depths[number])
            discoveries.nearer.append((number, self._depths[number]))
        flags = np.frombuffer(self._flags, np.uint8)[followed]
        for number in np.unique(followed[flags == _LOCAL]).tolist():
            self._admit_known(number, None, discoveries)

    def _widen_scope(self, seed: str, discoveries: Discoveries) -> None:
        """Extend the scope by a seed, and mark known pages that are now inside as local.

        With the scopes "hosts" and "site" the host decides, so all pages of the host become local. With prefixes or
        patterns, only the seed itself does, since the URLs of other pages are not in memory.
        """
        self._scope.add_seed(seed)
        self._host_sides = bytearray(len(self.host_urls))
        if not self._flags:
            return
        if not self._scope.decides_by_host:
            number = self._table.find(seed)
            if number >= 0 and not self.is_local(number) and self._scope.is_local(seed):
                self._take_in(number, discoveries)
            return
        outside = np.flatnonzero(np.frombuffer(self._flags, np.uint8) & _LOCAL == 0)
        hosts = np.frombuffer(self._page_hosts, np.int32)[outside]
        for host in np.unique(hosts).tolist():
            if self._scope.is_local(f"{self.host_urls[host]}/"):
                for number in outside[hosts == host].tolist():
                    self._take_in(number, discoveries)
                    if self._flags[number] == _LOCAL:
                        self._admit_known(number, None, discoveries)

    def _take_in(self, number: int, discoveries: Discoveries) -> None:
        kept = self._flags[number] & (_ADMITTED | _FETCHED)
        self._flags[number] = _LOCAL | kept
        self.local_count += 1
        if kept:
            discoveries.localised.append(number)

    def host_number(self, url: str, discoveries: Discoveries) -> int:
        """Return the number of a host, given as "https://a.example"; a new host is added."""
        number = self._host_numbers.get(url)
        if number is None:
            site = site_of(url)
            number = self.restore_host(url)
            discoveries.new_hosts.append(HostRecord(number, url, site))
        return number

    def _meet(self, url: str, discoveries: Discoveries, depth: int, referrer: int | None, redirects: int = 0) -> int:
        """Return the page number of a URL found at this depth, new or known; if it may be fetched now, admit it."""
        number = self._table.find(url)
        if number < 0:
            number = len(self._flags)
            self._discover({url: True}, discoveries, depth, referrer, redirects)
        else:
            self._meet_again(url, number, discoveries, depth)
        return number

    def _meet_again(self, url: str, number: int, discoveries: Discoveries, depth: int) -> None:
        if depth < self._depths[number]:
            self._depths[number] = depth
            discoveries.nearer.append((number, depth))
            self.has_stale_depths |= bool(self._flags[number] & _ADMITTED)
        if self._flags[number] == _LOCAL:
            self._admit_known(number, url, discoveries)
        elif not self._flags[number]:
            self._flags[number] = self._flags_of_followed(url)
            discoveries.followed.append(number)

    def _flags_of_followed(self, url: str) -> int:
        return _EXCLUDED if self._has_excluded and self._scope.is_excluded(url) else _FOLLOWED

    def _discover(
        self, urls: Mapping[str, bool], discoveries: Discoveries, depth: int, referrer: int | None, redirects: int = 0
    ) -> None:
        """Give numbers to new URLs, in order; `urls` maps each to whether the link to it may be followed.

        This is one loop without calls, for speed, since most pages bring several new URLs.
        """
        first = len(self._flags)
        host_numbers, host_sides = self._host_numbers, self._host_sides
        by_host, within = self._scope.decides_by_host, depth <= self.max_depth
        records, flags, hosts = discoveries.new_pages, bytearray(), list[int]()
        for number, (url, follow) in enumerate(urls.items(), first):
            host_url = url[: url.index("/", 8)]
            host = host_numbers.get(host_url)
            if host is None:
                host = self.host_number(host_url, discoveries)
            side = host_sides[host] if by_host else _UNDECIDED
            if side == _UNDECIDED:
                side = host_sides[host] = _INSIDE if self._scope.is_local(url) else _OUTSIDE
            is_local = side == _INSIDE
            hosts.append(host)
            if is_local and follow and within:
                flags.append(_LOCAL | _ADMITTED)
                records.append(
                    PageRecord(
                        number=number,
                        url=url,
                        host=host,
                        state=_WAITING,
                        is_local=1,
                        depth=depth,
                        referrer=referrer,
                        redirects=redirects,
                    )
                )
                discoveries.admitted.append(number)
                discoveries.admitted_hosts.append(host)
                discoveries.admitted_urls.append(url)
            else:
                flags.append(_LOCAL if is_local else self._flags_of_followed(url) if follow else 0)
                records.append(
                    PageRecord(
                        number=number,
                        url=url,
                        host=host,
                        state=_KNOWN,
                        is_local=int(is_local),
                        depth=depth,
                        referrer=referrer,
                        redirects=redirects,
                    )
                )
        self._table.add_all(urls, first)
        if self._names is not None:
            self._names.add_all(urls)
        self._append(hosts, flags, depth)

    def _admit_known(self, number: int, url: str | None, discoveries: Discoveries) -> None:
        if self._depths[number] <= self.max_depth:
            self._flags[number] |= _ADMITTED
            self._admit(number, url, 1, discoveries)

    def _admit_outside(self, number: int, url: str | None, discoveries: Discoveries) -> None:
        self._flags[number] |= _ADMITTED
        self._admit(number, url, 0, discoveries)

    def _admit(self, number: int, url: str | None, is_local: int, discoveries: Discoveries) -> None:
        discoveries.readmitted.append((number, self._depths[number], is_local))
        discoveries.admitted.append(number)
        discoveries.admitted_hosts.append(self._page_hosts[number])
        discoveries.admitted_urls.append(url)

    def _append(self, hosts: Sequence[int], flags: bytes | bytearray, depth: int) -> None:
        self._page_hosts.extend(hosts)
        self._url_limit.urls_added(hosts)
        self._flags.extend(flags)
        self._linked_again.extend(bytes(len(flags)))
        self._depths.extend([min(depth, _MAX_DEPTH)] * len(flags))
        self.local_count += flags.count(_LOCAL) + flags.count(_LOCAL | _ADMITTED)
