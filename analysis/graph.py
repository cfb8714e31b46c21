"""The web graph as a value: pages are dense numbers, links are arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntArray = NDArray[np.int32]
OffsetArray = NDArray[np.int64]
_Array = TypeVar("_Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed graph in compressed sparse rows, built once and read-only.

    The successors of page p are targets[offsets[p]:offsets[p + 1]], ascending and distinct. offsets: shape
    (n + 1,); targets: shape (links,). Self-links are dropped and repeated links counted once, as in all the
    measurements this project is about. 4 bytes a link and 8 a page; as much again once `transposed` is used.
    """

    offsets: OffsetArray
    targets: IntArray

    @classmethod
    def from_links(cls, sources: ArrayLike, targets: ArrayLike, page_count: int) -> Graph:
        """From parallel arrays, shape (k,), in any order. Raises ValueError for a page number out of range."""
        source, target = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
        if source.shape != target.shape or source.ndim != 1:
            raise ValueError(f"sources {source.shape} and targets {target.shape} are not parallel arrays")
        for name, numbers in (("source", source), ("target", target)):
            outside = numbers[(numbers < 0) | (numbers >= page_count)]
            if outside.size:
                raise ValueError(f"{name} {outside[0]} is not a page number below {page_count}")
        distinct = np.unique(source * page_count + target)[: source.size]
        source, target = np.divmod(distinct, max(page_count, 1))
        kept = source != target
        source, target = source[kept], target[kept]
        offsets = np.zeros(page_count + 1, np.int64)
        np.cumsum(np.bincount(source, minlength=page_count), out=offsets[1:])
        return cls(_frozen(offsets), _frozen(target.astype(np.int32)))

    @property
    def page_count(self) -> int:
        return len(self.offsets) - 1

    @property
    def link_count(self) -> int:
        return len(self.targets)

    @cached_property
    def outdegrees(self) -> IntArray:
        """Shape (n,)."""
        return _frozen(np.diff(self.offsets).astype(np.int32))

    @cached_property
    def indegrees(self) -> IntArray:
        """Shape (n,)."""
        return _frozen(np.bincount(self.targets, minlength=self.page_count).astype(np.int32))

    @cached_property
    def sources(self) -> IntArray:
        """The source of each link, parallel to targets; shape (links,)."""
        return _frozen(np.repeat(np.arange(self.page_count, dtype=np.int32), self.outdegrees))

    @cached_property
    def transposed(self) -> Graph:
        """The graph with every link turned round: its successors are the pages that link here."""
        return Graph.from_links(self.targets, self.sources, self.page_count)

    def successors(self, page: int) -> IntArray:
        return self.targets[self.offsets[page] : self.offsets[page + 1]]

    def reachable_from(self, pages: ArrayLike) -> IntArray:
        """The pages on a path from any of these, themselves included; ascending."""
        reached = np.zeros(self.page_count, bool)
        front = np.unique(np.asarray(pages, np.int64))
        while front.size:
            reached[front] = True
            nexts = [self.successors(page) for page in front.tolist()]
            front = np.unique(np.concatenate(nexts))
            front = front[~reached[front]]
        return np.flatnonzero(reached).astype(np.int32)


def _frozen(array: _Array) -> _Array:
    array.flags.writeable = False
    return array
