"""The links of a crawl in the order in which its pages were fetched."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from analysis.crawled_graph import CrawledGraph
from analysis.graph import BoolArray, IntArray

_Array = TypeVar("_Array", bound=NDArray[Any])


class LinkLog:
    """Grows page by page; mutable. 4 bytes a link and 12 a crawled page, doubled at worst while it grows.

    Nothing written is ever changed, so a view of what stands there now is a snapshot, however much follows.
    """

    def __init__(self) -> None:
        self._order = np.empty(1024, np.int32)
        self._ends = np.empty(1024, np.int64)
        self._targets = np.empty(16384, np.int32)
        self.page_count = 0
        self.link_count = 0

    def append(self, page: int, outlinks: IntArray) -> None:
        """A page was crawled, for the first time; outlinks are distinct, a self-link among them is dropped."""
        end = self.link_count + len(outlinks)
        if end > len(self._targets):
            self._targets = _grown(self._targets, end)
        self._targets[self.link_count : end] = outlinks
        place = np.flatnonzero(outlinks == page)
        if len(place):
            start = self.link_count + int(place[0])
            self._targets[start : end - 1] = outlinks[int(place[0]) + 1 :]
            end -= 1
        if self.page_count == len(self._order):
            self._order = _grown(self._order, self.page_count + 1)
            self._ends = _grown(self._ends, self.page_count + 1)
        self._order[self.page_count] = page
        self._ends[self.page_count] = end
        self.page_count += 1
        self.link_count = end

    def extend(self, pages: IntArray, ends: NDArray[np.int64], targets: IntArray) -> None:
        """Pages that were crawled, in this order: those that pages[i] links to are targets[ends[i - 1]:ends[i]]."""
        sources = np.repeat(pages, np.diff(ends, prepend=0))
        to_itself = np.flatnonzero(targets == sources)
        self._order = np.concatenate([self._order[: self.page_count], pages])
        kept = ends - np.searchsorted(to_itself, ends)
        self._ends = np.concatenate([self._ends[: self.page_count], self.link_count + kept])
        self._targets = np.concatenate([self._targets[: self.link_count], np.delete(targets, to_itself)])
        self.page_count, self.link_count = len(self._order), len(self._targets)

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


def _grown(array: _Array, size: int) -> _Array:
    grown = np.empty(max(size, 2 * len(array)), array.dtype)
    grown[: len(array)] = array
    return cast(_Array, grown)
