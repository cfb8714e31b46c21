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
    """Grows page by page; mutable. 4 bytes a link and 12 a crawled page, doubled at worst while it grows.

    Nothing written is ever changed, so a view of what stands there now is a snapshot, however much follows.
    zeros: makes the room.
    """

    def __init__(self, zeros: Allocator = np.zeros) -> None:
        self._zeros = zeros
        self._order = np.empty(1024, np.int32)
        self._ends = np.empty(1024, np.int64)
        self._targets = np.empty(16384, np.int32)
        self.page_count = 0
        self.link_count = 0

    def append(self, page: int, outlinks: IntArray) -> None:
        """A page was crawled, for the first time; outlinks are distinct, a self-link among them is dropped."""
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
        """Pages that were crawled, in this order: those that pages[i] links to are targets[ends[i - 1]:ends[i]]."""
        sources = np.repeat(pages, np.diff(ends, prepend=0))
        to_itself = np.flatnonzero(targets == sources)
        page_count, link_count = self.page_count + len(pages), self.link_count + len(targets) - len(to_itself)
        self._make_room(page_count, link_count)
        self._order[self.page_count : page_count] = pages
        self._ends[self.page_count : page_count] = self.link_count + ends - np.searchsorted(to_itself, ends)
        self._targets[self.link_count : link_count] = np.delete(targets, to_itself) if len(to_itself) else targets
        self.page_count, self.link_count = page_count, link_count

    def snapshot(self, is_local: BoolArray, hosts: IntArray) -> CrawledGraph:
        """What is known now. is_local, hosts: of every known page, shape (n,); not to be changed afterwards."""
        return CrawledGraph(
            self._order[: self.page_count],
            self._ends[: self.page_count],
            self._targets[: self.link_count],
            is_local,
            hosts,
        )

    def memory_bytes(self) -> int:
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
