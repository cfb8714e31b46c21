"""The links of a crawl in the order in which its pages were fetched."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import BoolArray, IntArray

_Array = TypeVar("_Array", bound=NDArray[Any])


class LinkLog:
    """A log of links that grows page by page. Mutable.

    It takes 4 bytes per link and 12 per crawled page, and up to twice that because it grows by doubling. Entries never
    change once they are written. So a view of the log stays as it is while new entries are appended.
    """

    def __init__(self, zeros: Allocator = np.zeros) -> None:
        """Start empty; `zeros` allocates the arrays."""
        self._zeros = zeros
        self._order = np.empty(1024, np.int32)
        self._ends = np.empty(1024, np.int64)
        self._targets = np.empty(16384, np.int32)
        self.page_count = 0
        self.link_count = 0

    def append(self, page: int, outlinks: IntArray) -> None:
        """Append a page that was crawled for the first time; a self-link among its distinct outlinks is dropped."""
        end = self.link_count + len(outlinks)
        self._make_room(self.page_count + 1, end)
        self._targets[self.link_count : end] = outlinks
        place = np.flatnonzero(outlinks == page)
        if len(place):
            start = self.link_count + int(place[0])
            self._targets[start : end - 1] = outlinks[int(place[0]) + 1 :]
            end -= 1
        self._order[self.page_count] = page
        self._ends[self.page_count] = end
        self.page_count += 1
        self.link_count = end

    def extend(self, pages: IntArray, ends: NDArray[np.int64], targets: IntArray) -> None:
        """Append crawled pages in crawl order; pages[i] links to targets[ends[i - 1]:ends[i]]."""
        sources = np.repeat(pages, np.diff(ends, prepend=0))
        to_itself = np.flatnonzero(targets == sources)
        page_count, link_count = self.page_count + len(pages), self.link_count + len(targets) - len(to_itself)
        self._make_room(page_count, link_count)
        self._order[self.page_count : page_count] = pages
        self._ends[self.page_count : page_count] = self.link_count + ends - np.searchsorted(to_itself, ends)
        self._targets[self.link_count : link_count] = np.delete(targets, to_itself) if len(to_itself) else targets
        self.page_count, self.link_count = page_count, link_count

    def snapshot(self, is_local: BoolArray, hosts: IntArray) -> CrawledGraph:
        """Return the graph known now; `is_local` and `hosts`, shape (n,), must not change afterwards."""
        return CrawledGraph(
            self._order[: self.page_count],
            self._ends[: self.page_count],
            self._targets[: self.link_count],
            is_local,
            hosts,
        )

    def memory_bytes(self) -> int:
        """Return the memory of the arrays in bytes."""
        return self._order.nbytes + self._ends.nbytes + self._targets.nbytes

    def _make_room(self, pages: int, links: int) -> None:
        if links > len(self._targets):
            self._targets = self._grown(self._targets, links)
        if pages > len(self._order):
            self._order, self._ends = self._grown(self._order, pages), self._grown(self._ends, pages)

    def _grown(self, array: _Array, size: int) -> _Array:
        grown = self._zeros(max(size, 2 * len(array)), array.dtype.type)
        grown[: len(array)] = array
        return cast(_Array, grown)
