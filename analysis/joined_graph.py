"""One graph of what all parts of a crawl know, under numbers of its own.

Each part numbers pages and hosts for itself. A page belongs to the part that has its host; others that know it, too, by
links, send its name. Whether its part knows it is asked once, and a part that does not says so when it does:

    take(deltas) ──► questions to each part ──► answer(numbers) ──► graph, waiting

A page keeps its number, so what was computed of it before can be gone on from.
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
    """Mutable. 4 bytes a link, 5 a page, 8 a page for each part that knows it, 12 for each that two may know.

    owner: the part that a host ("https://a.example") belongs to. zeros: makes the room for links.
    """

    def __init__(self, parts: int, owner: Callable[[str], int], zeros: Allocator = np.zeros) -> None:
        self._owner = owner
        self._cursors = [Cursor()] * parts
        self._numbers = [np.empty(0, np.int32)] * parts
        """Of the pages of each part."""
        self._hosts_of = [np.empty(0, np.int32)] * parts
        """The host of each page, in the numbers of the part."""
        self._host_numbers = [np.empty(0, np.int32)] * parts
        self._hosts = dict[str, int]()
        self._owners: list[int] = []
        """Of each host."""
        self._page_hosts = np.empty(0, np.int32)
        self._is_local = np.empty(0, np.bool_)
        self._names = np.empty(0, np.uint64)
        """Of pages that a part knows which they do not belong to, ascending."""
        self._named = np.empty(0, np.int32)
        """Their numbers."""
        self._log = LinkLog(zeros)
        self._deltas: Sequence[GraphDelta] = ()
        self._asked: list[NameArray] = []

    def cursor(self, part: int) -> Cursor:
        return self._cursors[part]

    def hosts_of(self, part: int) -> IntArray:
        """The host of each page that is known of a part, in its own numbers."""
        return self._hosts_of[part]

    def take(self, deltas: Sequence[GraphDelta]) -> list[NameArray]:
        """What each part has learnt since its cursor; returns the names for each part to say the numbers of.

        Raises ValueError if one does not begin where the last one ended.
        """
        for part, delta in enumerate(deltas):
            if delta.since != self._cursors[part]:
                raise ValueError(f"part {part} tells what it learnt since {delta.since}, not {self._cursors[part]}")
        self._deltas = deltas
        names, owners = [np.empty(0, np.uint64)], [np.empty(0, np.int32)]
        for part, delta in enumerate(deltas):
            self._add_hosts(part, delta)
            of_pages = np.array(self._owners, np.int32)[self._host_numbers[part][delta.page_hosts[delta.since.pages :]]]
            names.append(delta.names)
            owners.append(of_pages[of_pages != part])
        distinct, first = np.unique(np.concatenate(names), return_index=True)
        is_new = self._places(distinct)[1]
        distinct, owners_of = distinct[is_new], np.concatenate(owners)[first[is_new]]
        self._asked = [distinct[owners_of == part] for part in range(len(deltas))]
        return self._asked

    def answer(self, answers: Sequence[IntArray]) -> None:
        """What each part said: its numbers of the pages with these names, shape (k,), UNKNOWN where it has none."""
        for part, delta in enumerate(self._deltas):
            self._number_own(part, delta)
        names, numbers = [self._names], [self._named]
        for part, (asked, found) in enumerate(zip(self._asked, answers, strict=True)):
            new = np.full(len(found), UNKNOWN, np.int32)
            new[found >= 0] = self._numbers[part][found[found >= 0]]
            missing = np.flatnonzero(new < 0)
            new[missing] = len(self._page_hosts) + np.arange(len(missing), dtype=np.int32)
            self._page_hosts = np.concatenate([self._page_hosts, np.full(len(missing), UNKNOWN, np.int32)])
            names.append(asked)
            numbers.append(new)
        joined = np.concatenate(names)
        order = np.argsort(joined, kind="stable")
        self._names, self._named = joined[order], np.concatenate(numbers)[order]
        for part, delta in enumerate(self._deltas):
            self._number_others(part, delta)
        self._is_local = _lengthened(self._is_local, len(self._page_hosts))
        for part, delta in enumerate(self._deltas):
            numbers_here = self._numbers[part]
            self._is_local[numbers_here[delta.is_local]] = True
            self._log.extend(numbers_here[delta.order], delta.ends, numbers_here[delta.targets])
            self._cursors[part], self._hosts_of[part] = delta.until, delta.page_hosts
        self._waiting = [self._numbers[part][delta.waiting] for part, delta in enumerate(self._deltas)]
        self._deltas, self._asked = (), []

    def graph(self) -> CrawledGraph:
        """All that is known now."""
        return self._log.snapshot(self._is_local, self._page_hosts)

    def waiting(self, part: int) -> IntArray:
        """The pages that a part said wait there, in its order, shape (k,)."""
        return self._waiting[part]

    # ---------------------------------------------------------------- numbers

    def _add_hosts(self, part: int, delta: GraphDelta) -> None:
        new = []
        for url in delta.hosts:
            if url not in self._hosts:
                self._hosts[url] = len(self._hosts)
                self._owners.append(self._owner(url))
            new.append(self._hosts[url])
        self._host_numbers[part] = np.concatenate([self._host_numbers[part], np.array(new, np.int32)])

    def _number_own(self, part: int, delta: GraphDelta) -> None:
        """Those that others knew by name keep the number that they have; the others get the next ones."""
        first, hosts = delta.since.pages, self._host_numbers[part][delta.page_hosts[delta.since.pages :]]
        numbers = np.full(len(hosts), UNKNOWN, np.int32)
        numbers[delta.asked - first] = self._named[self._places(delta.asked_names)[0]]
        is_own = np.array(self._owners, np.int32)[hosts] == part
        new = np.flatnonzero(is_own & (numbers < 0))
        numbers[new] = len(self._page_hosts) + np.arange(len(new), dtype=np.int32)
        self._page_hosts = np.concatenate([self._page_hosts, hosts[new]])
        self._numbers[part] = np.concatenate([self._numbers[part], numbers])

    def _number_others(self, part: int, delta: GraphDelta) -> None:
        """All that belong to other parts have names by now."""
        numbers = self._numbers[part][delta.since.pages :]
        away = np.array(self._owners, np.int32)[self._host_numbers[part][delta.page_hosts[delta.since.pages :]]] != part
        numbers[away] = self._named[self._places(delta.names)[0]]
        self._page_hosts[numbers] = self._host_numbers[part][delta.page_hosts[delta.since.pages :]]

    def _places(self, names: NameArray) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where names stand among those that are known, and which of them do not."""
        places = np.searchsorted(self._names, names)
        is_new = np.ones(len(names), np.bool_)
        within = places < len(self._names)
        is_new[within] = self._names[places[within]] != names[within]
        return places, is_new


def _lengthened(array: _Array, size: int) -> _Array:
    longer = np.zeros(size, array.dtype)
    longer[: len(array)] = array
    return cast(_Array, longer)
