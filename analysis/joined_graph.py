"""Joins what all shards of a crawl know into one graph, with its own numbers for pages and hosts.

Each shard numbers pages and hosts for itself. A page belongs to the shard that crawls its host. Other shards that know
the page from links send its name. Then the page's own shard is asked, once, whether it knows the page. If it does not,
it reports the page as soon as it learns of the page:

    take(deltas) ──► questions to each shard ──► answer(numbers) ──► graph, waiting

Pages keep their numbers in the joined graph, so earlier results can be reused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import IntArray
from hinterland.analysis.graph_delta import Cursor, GraphDelta, NameArray
from hinterland.analysis.link_log import LinkLog

_Array = TypeVar("_Array", bound=NDArray[Any])

UNKNOWN: Final = -1


class JoinedGraph:
    """The graph of all shards. Mutable.

    It takes 4 bytes per link and 5 per page, 8 more per page for each shard that knows the page, and 12 more per page
    that several shards may know.
    """

    def __init__(self, shards: int, owner: Callable[[str], int], zeros: Allocator = np.zeros) -> None:
        """Start empty.

        `owner` returns the shard that a host ("https://a.example") belongs to; `zeros` allocates links.
        """
        self._owner = owner
        self._cursors = [Cursor()] * shards
        self._numbers = [np.empty(0, np.int32)] * shards
        """For each shard, the numbers in this graph of the pages that it knows."""
        self._hosts_of = [np.empty(0, np.int32)] * shards
        """For each shard, the host of each of its pages; both have the shard's numbers."""
        self._host_numbers = [np.empty(0, np.int32)] * shards
        self._hosts = dict[str, int]()
        self._owners: list[int] = []
        """The shard that each host belongs to."""
        self._page_hosts = np.empty(0, np.int32)
        self._is_local = np.empty(0, np.bool_)
        self._names = np.empty(0, np.uint64)
        """The names of pages that are known to some shard other than their own, ascending."""
        self._named = np.empty(0, np.int32)
        """The numbers of the pages in `_names`, in the same order."""
        self._log = LinkLog(zeros)
        self._deltas: Sequence[GraphDelta] = ()
        self._asked: list[NameArray] = []

    def cursor(self, shard: int) -> Cursor:
        """Return how many pages and hosts of a shard are known here."""
        return self._cursors[shard]

    def hosts_of(self, shard: int) -> IntArray:
        """Return the host of each known page of a shard, in the shard's own numbers."""
        return self._hosts_of[shard]

    def take(self, deltas: Sequence[GraphDelta]) -> list[NameArray]:
        """Take a delta from each shard. Return, for each shard, the names of the pages to ask it about.

        Raises ValueError if a delta does not start at the shard's cursor.
        """
        for shard, delta in enumerate(deltas):
            if delta.since != self._cursors[shard]:
                raise ValueError(
                    f"shard {shard} sent a delta that begins at {delta.since}, not at {self._cursors[shard]}"
                )
        self._deltas = deltas
        names, owners = [np.empty(0, np.uint64)], [np.empty(0, np.int32)]
        for shard, delta in enumerate(deltas):
            self._add_hosts(shard, delta)
            of_pages = np.array(self._owners, np.int32)[
                self._host_numbers[shard][delta.page_hosts[delta.since.pages :]]
            ]
            names.append(delta.names)
            owners.append(of_pages[of_pages != shard])
        distinct, first = np.unique(np.concatenate(names), return_index=True)
        is_new = self._places(distinct)[1]
        distinct, owners_of = distinct[is_new], np.concatenate(owners)[first[is_new]]
        self._asked = [distinct[owners_of == shard] for shard in range(len(deltas))]
        return self._asked

    def answer(self, answers: Sequence[IntArray]) -> None:
        """Take each shard's answer to the names that `take` returned.

        An answer holds the shard's own numbers of the pages with these names, shape (k,); UNKNOWN for pages that it
        does not know.
        """
        for shard, delta in enumerate(self._deltas):
            self._number_own(shard, delta)
        names, numbers = [self._names], [self._named]
        for shard, (asked, found) in enumerate(zip(self._asked, answers, strict=True)):
            new = np.full(len(found), UNKNOWN, np.int32)
            new[found >= 0] = self._numbers[shard][found[found >= 0]]
            missing = np.flatnonzero(new < 0)
            new[missing] = len(self._page_hosts) + np.arange(len(missing), dtype=np.int32)
            self._page_hosts = np.concatenate([self._page_hosts, np.full(len(missing), UNKNOWN, np.int32)])
            names.append(asked)
            numbers.append(new)
        joined = np.concatenate(names)
        order = np.argsort(joined, kind="stable")
        self._names, self._named = joined[order], np.concatenate(numbers)[order]
        for shard, delta in enumerate(self._deltas):
            self._number_others(shard, delta)
        self._is_local = _lengthened(self._is_local, len(self._page_hosts))
        for shard, delta in enumerate(self._deltas):
            numbers_here = self._numbers[shard]
            self._is_local[numbers_here[delta.is_local]] = True
            self._log.extend(numbers_here[delta.order], delta.ends, numbers_here[delta.targets])
            self._cursors[shard], self._hosts_of[shard] = delta.until, delta.page_hosts
        self._waiting = [self._numbers[shard][delta.waiting] for shard, delta in enumerate(self._deltas)]
        self._deltas, self._asked = (), []

    def graph(self) -> CrawledGraph:
        """Return the graph of everything known now."""
        return self._log.snapshot(self._is_local, self._page_hosts)

    def waiting(self, shard: int) -> IntArray:
        """Return the waiting pages of a shard by their numbers in this graph, shape (k,).

        They are in the order of the shard's delta.
        """
        return self._waiting[shard]

    # ---------------------------------------------------------------- numbers

    def _add_hosts(self, shard: int, delta: GraphDelta) -> None:
        new = []
        for url in delta.hosts:
            if url not in self._hosts:
                self._hosts[url] = len(self._hosts)
                self._owners.append(self._owner(url))
            new.append(self._hosts[url])
        self._host_numbers[shard] = np.concatenate([self._host_numbers[shard], np.array(new, np.int32)])

    def _number_own(self, shard: int, delta: GraphDelta) -> None:
        """Assign numbers to the pages that belong to the shard; a page that another shard named keeps its number."""
        first, hosts = delta.since.pages, self._host_numbers[shard][delta.page_hosts[delta.since.pages :]]
        numbers = np.full(len(hosts), UNKNOWN, np.int32)
        numbers[delta.asked - first] = self._named[self._places(delta.asked_names)[0]]
        is_own = np.array(self._owners, np.int32)[hosts] == shard
        new = np.flatnonzero(is_own & (numbers < 0))
        numbers[new] = len(self._page_hosts) + np.arange(len(new), dtype=np.int32)
        self._page_hosts = np.concatenate([self._page_hosts, hosts[new]])
        self._numbers[shard] = np.concatenate([self._numbers[shard], numbers])

    def _number_others(self, shard: int, delta: GraphDelta) -> None:
        """Assign numbers to the pages that belong to other shards. The names of all of them are already known."""
        numbers = self._numbers[shard][delta.since.pages :]
        away = (
            np.array(self._owners, np.int32)[self._host_numbers[shard][delta.page_hosts[delta.since.pages :]]] != shard
        )
        numbers[away] = self._named[self._places(delta.names)[0]]
        self._page_hosts[numbers] = self._host_numbers[shard][delta.page_hosts[delta.since.pages :]]

    def _places(self, names: NameArray) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the positions of these names in `_names`, and which of the names are missing there."""
        places = np.searchsorted(self._names, names)
        is_new = np.ones(len(names), np.bool_)
        within = places < len(self._names)
        is_new[within] = self._names[places[within]] != names[within]
        return places, is_new


def _lengthened(array: _Array, size: int) -> _Array:
    longer = np.zeros(size, array.dtype)
    longer[: len(array)] = array
    return cast(_Array, longer)
