"""Keeps the links from which a policy learns: links to pages that wait, or that have been visited since."""

from __future__ import annotations

from typing import Any, Final, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import IntArray
from hinterland.crawler.features.topics.links.link_features import LIKENESSES, LinkFeatures

_Array = TypeVar("_Array", bound=NDArray[Any])

LINKS_A_PAGE: Final = 4
"""Only the first links to a page are kept, at most this many."""


class LinkRows:
    """A growing table of links. Mutable. About 90 bytes per kept link, and 5 per known page.

    Rows never change once written, so views of them are snapshots.
    """

    def __init__(self) -> None:
        """Start without links."""
        self.count = 0
        self._sources = np.empty(1024, np.int32)
        self._targets = np.empty(1024, np.int32)
        self._hosts = np.empty(1024, np.int32)
        self._ends = np.empty(1024, np.int64)
        self._likenesses = np.empty((1024, LIKENESSES), np.float32)
        self._features = np.empty(32_768, np.uint16)
        self._next = np.empty(1024, np.int32)  # the previous row that leads to the same page
        self._last = np.full(1024, -1, np.int32)  # by page: the last row that leads there
        self._kept = np.zeros(1024, np.uint8)  # by page: how many rows lead there

    def append(self, source: int, targets: IntArray, hosts: IntArray, features: LinkFeatures) -> None:
        """Add the links of one page, shape (k,), except links to targets that already have LINKS_A_PAGE links."""
        if not len(targets):
            return
        self._know(int(targets.max()) + 1)
        is_kept = self._kept[targets] < LINKS_A_PAGE
        if not is_kept.all():
            targets, hosts, features = targets[is_kept], hosts[is_kept], features.those(is_kept)
        first, end = self.count, self.count + len(targets)
        begin = int(self._ends[first - 1]) if first else 0
        if end > len(self._sources):
            self._make_room(end)
        feature_end = begin + len(features.features)
        if feature_end > len(self._features):
            self._features = grown(self._features, feature_end)
        self._sources[first:end] = source
        self._targets[first:end] = targets
        self._hosts[first:end] = hosts
        self._ends[first:end] = begin + features.ends
        self._likenesses[first:end] = features.likenesses
        self._features[begin:feature_end] = features.features
        for row, target in enumerate(targets.tolist(), first):
            self._next[row] = self._last[target]
            self._last[target] = row
            self._kept[target] += 1
        self.count = end

    def sources_of(self, page: int) -> list[int]:
        """Return the pages whose links to this page are kept, latest first."""
        return [int(self._sources[row]) for row in self.rows_to(page)]

    def rows_to(self, page: int) -> list[int]:
        """Return the rows of the kept links to a page, latest first."""
        rows = []
        row = int(self._last[page]) if page < len(self._last) else -1
        while row >= 0:
            rows.append(row)
            row = int(self._next[row])
        return rows

    @property
    def sources(self) -> IntArray:
        """The pages that link, shape (count,)."""
        return self._sources[: self.count]

    @property
    def targets(self) -> IntArray:
        """The pages linked to, shape (count,)."""
        return self._targets[: self.count]

    @property
    def hosts(self) -> IntArray:
        """The hosts of the targets, shape (count,)."""
        return self._hosts[: self.count]

    @property
    def features(self) -> LinkFeatures:
        """The features of all rows, not copied."""
        count = self.count
        end = int(self._ends[count - 1]) if count else 0
        return LinkFeatures(self._ends[:count], self._features[:end], self._likenesses[:count])

    def _know(self, pages: int) -> None:
        if pages > len(self._last):
            known = len(self._last)
            self._last, self._kept = grown(self._last, pages), grown(self._kept, pages)
            self._last[known:], self._kept[known:] = -1, 0

    def _make_room(self, rows: int) -> None:
        self._sources, self._targets = grown(self._sources, rows), grown(self._targets, rows)
        self._hosts, self._ends = grown(self._hosts, rows), grown(self._ends, rows)
        self._likenesses, self._next = grown(self._likenesses, rows), grown(self._next, rows)


def grown(array: _Array, size: int) -> _Array:
    """Return a copy with room for at least `size` rows, and at least twice the old number; new rows are not set."""
    larger = np.empty((max(size, 2 * len(array)), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return cast(_Array, larger)
