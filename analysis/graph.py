"""The web graph as a value: pages are numbers from 0 without gaps, links are arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hinterland.analysis.compiled import compiled
from hinterland.analysis.copying import copy_into

IntArray = NDArray[np.int32]
OffsetArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
ByteArray = NDArray[np.uint8]
Rows = tuple[OffsetArray, IntArray]
"""Offsets and targets of a Graph, as compiled functions take them. They form a plain tuple because numba caches
compiled functions by argument types: if these were a class, the cache would be unreadable after the class was renamed
or its fields changed places.
"""
_Array = TypeVar("_Array", bound=NDArray[Any])

_LONG_ROW = 64


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed graph in compressed sparse rows, built once and read-only.

    The successors of page p are targets[offsets[p]:offsets[p + 1]], distinct. `offsets` has shape (n + 1,), `targets`
    shape (links,). There are no self-links, and a link counts once even if a page contains it repeatedly; this holds
    for all measurements of this project. It takes 4 bytes per link and 8 per page, and the same again once `transposed`
    is used. The arrays may be memory-mapped files.
    """

    offsets: OffsetArray
    targets: IntArray

    @classmethod
    def from_links(cls, sources: ArrayLike, targets: ArrayLike, page_count: int) -> Graph:
        """Build a graph from parallel arrays, shape (k,), in any order; repeats and self-links are dropped.

        The successors of a page are ascending. Raises ValueError for a page number out of range.
        """
        source, target = np.asarray(sources), np.asarray(targets)
        if source.shape != target.shape or source.ndim != 1:
            raise ValueError(f"sources {source.shape} and targets {target.shape} are not parallel arrays")
        for name, numbers in (("source", source), ("target", target)):
            if numbers.size and not 0 <= numbers.min() <= numbers.max() < page_count:
                outside = numbers[(numbers < 0) | (numbers >= page_count)]
                raise ValueError(f"{name} {outside[0]} is not a page number below {page_count}")
        # Two stable counting sorts, by target and then by source, take linear time; a sort of pairs does not.
        by_target = Graph(*_grouped(target.astype(np.int32), source.astype(np.int32), page_count))
        return _graph(_distinct(*by_target._transposed_rows()))

    @classmethod
    def from_rows(cls, pages: IntArray, ends: OffsetArray, targets: IntArray, page_count: int) -> Graph:
        """Build a graph from the outlinks of some pages, in linear time.

        The outlinks of pages[i] are targets[ends[i - 1]:ends[i]]. They must be distinct and without a self-link, and no
        page may occur twice; none of this is checked. In the graph the successors of a page are ascending, whatever the
        order of its outlinks.
        """
        rows = np.zeros(page_count + 1, np.int64), np.empty(len(targets), np.int32)
        sort_rows(pages, ends, targets, *rows)
        return _graph(rows)

    @property
    def rows(self) -> Rows:
        """The offsets and targets of the graph, in the form that compiled functions take."""
        return self.offsets, self.targets

    @property
    def page_count(self) -> int:
        """n, the number of pages."""
        return len(self.offsets) - 1

    @property
    def link_count(self) -> int:
        """The number of links."""
        return len(self.targets)

    @cached_property
    def outdegrees(self) -> IntArray:
        """The number of successors of each page, shape (n,)."""
        return frozen(np.diff(self.offsets).astype(np.int32))

    @cached_property
    def indegrees(self) -> IntArray:
        """The number of pages that link to each page, shape (n,)."""
        return frozen(occurrences(self.targets, self.page_count))

    @cached_property
    def sources(self) -> IntArray:
        """The source of each link, in the order of `targets`; shape (links,)."""
        return frozen(_owners(self.offsets, self.link_count))

    @cached_property
    def transposed(self) -> Graph:
        """The graph with every link reversed: a page's successors, ascending, are the pages that link to it."""
        return self._of(self._transposed_rows())

    def afresh(self) -> Graph:
        """Return the same graph without its derived values."""
        return self._of(self.rows)

    def zeros(self, size: int, kind: type[np.generic]) -> NDArray[Any]:
        """Return a zeroed array for values computed from the graph, in the same kind of storage as its links.

        For this class, it is memory that the system provides when it is first written to.
        """
        return np.zeros(size, kind)

    def successors(self, page: int) -> IntArray:
        """Return the pages that a page links to."""
        return self.targets[self.offsets[page] : self.offsets[page + 1]]

    def among(self, pages: ArrayLike) -> Graph:
        """Return the graph of `pages`, distinct, shape (k,), and the links among them; its page i is pages[i]."""
        chosen = np.asarray(pages, np.int32)
        offsets, places = self.zeros(len(chosen) + 1, np.int64), self.zeros(self.page_count, np.int32)
        kept = self.zeros(_count_links(self.offsets, chosen), np.int32)
        size = _links_among(self.offsets, self.targets, chosen, places, offsets, kept)
        return self._of((offsets, kept[:size]))

    def without_links_within(self, groups: IntArray) -> Graph:
        """Return the graph without links between pages of the same group, such as a host; `groups` has shape (n,).

        If the groups are hosts, it is the remote-only graph of Najork & Wiener (2001).
        """
        return _graph(_links_between(self.offsets, self.targets, groups))

    def reachable_from(self, pages: ArrayLike) -> IntArray:
        """Return all pages that can be reached from any of `pages`, including `pages`, ascending."""
        reached = np.zeros(self.page_count, np.bool_)
        _reach(self.offsets, self.targets, np.asarray(pages, np.int32), reached)
        return np.flatnonzero(reached).astype(np.int32)

    def _transposed_rows(self) -> Rows:
        """Return, for each page, the pages that link to it, ascending.

        If a row of this graph repeats a successor, the result has repeats as well.
        """
        offsets, sources = self.zeros(self.page_count + 2, np.int64), self.zeros(self.link_count, np.int32)
        _transpose(self.offsets, self.targets, offsets, sources)
        return offsets[:-1], sources

    def _of(self, rows: Rows) -> Graph:
        """Return a graph of these rows, whose arrays are stored like those of this graph."""
        return _graph(rows)


def _graph(rows: Rows) -> Graph:
    return Graph(frozen(rows[0]), frozen(rows[1]))


def frozen(array: _Array) -> _Array:
    """Make an array read-only and return it.

    If all arrays of graphs are read-only, functions need not be compiled a second time for writable arrays.
    """
    array.flags.writeable = False
    return array


@compiled
def occurrences(numbers: IntArray, count: int) -> IntArray:
    """Return how often each number from 0 to count - 1 occurs, shape (count,)."""
    counts = np.zeros(count, np.int32)
    for number in numbers:
        counts[number] += 1
    return counts


@compiled
def _grouped(keys: IntArray, values: IntArray, count: int) -> tuple[OffsetArray, IntArray]:
    """Sort values by key, stably, by counting; those of key k get the indices offsets[k] to offsets[k + 1] - 1."""
    offsets = np.zeros(count + 1, np.int64)
    for key in keys:
        offsets[key + 1] += 1
    for key in range(count):
        offsets[key + 1] += offsets[key]
    places = offsets[:-1].copy()
    sorted_values = np.empty(len(values), np.int32)
    for i in range(len(keys)):
        place = places[keys[i]]
        sorted_values[place] = values[i]
        places[keys[i]] = place + 1
    return offsets, sorted_values


@compiled
def _transpose(offsets: OffsetArray, targets: IntArray, new_offsets: OffsetArray, sources: IntArray) -> None:
    """Fill in the transposed links.

    `new_offsets` starts as zeros, one element longer than the offsets of the result.
    """
    count = len(offsets) - 1
    for target in targets:
        new_offsets[target + 2] += 1
    for page in range(count):
        new_offsets[page + 2] += new_offsets[page + 1]
    # new_offsets[i + 1] is where the next source of i goes, and in the end where its sources end.
    for page in range(count):
        for link in range(offsets[page], offsets[page + 1]):
            place = new_offsets[targets[link] + 1]
            sources[place] = page
            new_offsets[targets[link] + 1] = place + 1


@compiled
def _owners(offsets: OffsetArray, size: int) -> IntArray:
    owners = np.empty(size, np.int32)
    for row in range(len(offsets) - 1):
        for place in range(offsets[row], offsets[row + 1]):
            owners[place] = row
    return owners


@compiled
def _distinct(offsets: OffsetArray, targets: IntArray) -> tuple[OffsetArray, IntArray]:
    """Return rows in ascending order without repeats and self-links."""
    new_offsets = np.empty_like(offsets)
    new_offsets[0] = 0
    kept = np.empty_like(targets)
    size = 0
    for row in range(len(offsets) - 1):
        last = -1
        for place in range(offsets[row], offsets[row + 1]):
            target = targets[place]
            if target != last and target != row:
                kept[size] = target
                size += 1
            last = target
        new_offsets[row + 1] = size
    return new_offsets, kept[:size].copy()


@compiled
def sort_rows(pages: IntArray, ends: OffsetArray, targets: IntArray, offsets: OffsetArray, gathered: IntArray) -> None:
    """Fill in the arrays of a graph of these rows: `offsets`, which starts as zeros, and its targets, `gathered`.

    `Graph.from_rows` explains the rows. Most rows are short, so they are sorted by insertion while they are copied.
    """
    for i in range(len(pages)):
        offsets[pages[i] + 1] = ends[i] - (ends[i - 1] if i else 0)
    for page in range(len(offsets) - 1):
        offsets[page + 1] += offsets[page]
    for i in range(len(pages)):
        start = ends[i - 1] if i else 0
        first = offsets[pages[i]]
        if ends[i] - start > _LONG_ROW:
            _sort(targets[start : ends[i]], gathered[first : first + ends[i] - start])
            continue
        for link in range(start, ends[i]):
            target = targets[link]
            place = first + link - start
            while place > first and gathered[place - 1] > target:
                gathered[place] = gathered[place - 1]
                place -= 1
            gathered[place] = target


@compiled
def _sort(numbers: IntArray, ascending: IntArray) -> None:
    """Sort numbers into another array by heapsort (Williams 1964); compiling numpy's sort takes five seconds more."""
    copy_into(ascending, 0, numbers)
    size = len(ascending)
    begin = size // 2
    end = size
    while end > 1:
        if begin > 0:
            begin -= 1
        else:
            end -= 1
            ascending[0], ascending[end] = ascending[end], ascending[0]
        place = begin
        value = ascending[place]
        while 2 * place + 1 < end:
            child = 2 * place + 1
            if child + 1 < end and ascending[child + 1] > ascending[child]:
                child += 1
            if ascending[child] <= value:
                break
            ascending[place] = ascending[child]
            place = child
        ascending[place] = value


@compiled
def _count_links(offsets: OffsetArray, pages: IntArray) -> int:
    count = 0
    for page in pages:
        count += offsets[page + 1] - offsets[page]
    return count


@compiled
def _links_among(
    offsets: OffsetArray,
    targets: IntArray,
    chosen: IntArray,
    places: IntArray,
    new_offsets: OffsetArray,
    kept: IntArray,
) -> int:
    """Fill in `new_offsets` and the first elements of `kept`, and return how many. `places` must start as zeros."""
    for i in range(len(chosen)):
        places[chosen[i]] = i + 1
    size = 0
    for i in range(len(chosen)):
        for link in range(offsets[chosen[i]], offsets[chosen[i] + 1]):
            place = places[targets[link]]
            if place > 0:
                kept[size] = place - 1
                size += 1
        new_offsets[i + 1] = size
    return size


@compiled
def _links_between(offsets: OffsetArray, targets: IntArray, groups: IntArray) -> tuple[OffsetArray, IntArray]:
    new_offsets = np.zeros_like(offsets)
    kept = np.empty_like(targets)
    size = 0
    for page in range(len(offsets) - 1):
        for link in range(offsets[page], offsets[page + 1]):
            if groups[targets[link]] != groups[page]:
                kept[size] = targets[link]
                size += 1
        new_offsets[page + 1] = size
    return new_offsets, kept[:size].copy()


@compiled
def _reach(offsets: OffsetArray, targets: IntArray, pages: IntArray, reached: BoolArray) -> None:
    stack = np.empty(len(reached), np.int32)
    height = 0
    for page in pages:
        if not reached[page]:
            reached[page] = True
            stack[height] = page
            height += 1
    while height:
        height -= 1
        page = stack[height]
        for link in range(offsets[page], offsets[page + 1]):
            target = targets[link]
            if not reached[target]:
                reached[target] = True
                stack[height] = target
                height += 1
