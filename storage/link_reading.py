"""From rows of a store to columns: pages, and the links of the pages in the order of their visits. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from storage.schema import LINKING_OUTCOMES
from storage.values.records import StoredOutlinks, StoredPages

PAGES = (
    "SELECT url, page.host, is_local + 2 * (state = 'known') + 4 * (state = 'waiting')"
    " + 8 * coalesce(outcome = 'fetched', 0), depth, coalesce(referrer, -1), redirects, coalesce(visit, 0),"
    " coalesce(attempt, 0), retry_at FROM page LEFT JOIN fetch ON fetch.page = page.id ORDER BY id"
)
LINKS = "SELECT (source << 32) | (target << 1) | nofollow FROM link ORDER BY source, target"
LINKING_VISITS = (
    "SELECT (visit << 32) | page, is_nofollow + 2 * (outcome = 'redirected') + 4 * (outcome = 'too_many_redirects')"
    f" FROM fetch WHERE outcome IN {LINKING_OUTCOMES}"
)
"""Several numbers in one where many rows are read: 0.45 instead of 0.75 to 0.95 µs of CPU for a link as three."""

_Packed = NDArray[np.int64]

_GATHERED = 1 << 20
"""So many links are put in order at a time: their places take 8 bytes each."""
_TARGET = (1 << 31) - 1


def stored_pages(first: int, rows: Sequence[Sequence[Any]]) -> StoredPages:
    """rows: of PAGES; flags: 1 local, 2 known, 4 waiting, 8 fetched."""
    urls, hosts, flags, depths, finders, redirects, visits, attempts, retry_at = zip(*rows, strict=True)
    marks = np.array(flags, np.uint8)
    return StoredPages(
        first,
        urls,
        np.array(hosts, np.int32),
        (marks & 1).astype(np.bool_),
        (marks & 2).astype(np.bool_),
        (marks & 4).astype(np.bool_),
        (marks & 8).astype(np.bool_),
        np.array(depths, np.int32),
        np.array(finders, np.int32),
        np.array(redirects, np.int32),
        np.array(visits, np.int32),
        np.array(attempts, np.int32),
        np.array(retry_at, np.float64),
    )


class LinkReading:
    """Takes all links of a store, source by source, and gives them in another order. Mutable.

    Links come as single numbers, source << 32 | target << 1 | nofollow, ascending but for the last bit; those of one
    source to one target become one.
    """

    def __init__(self, page_count: int) -> None:
        self._counts = np.zeros(page_count, np.int32)
        self._links = array("I")  # target << 1 | nofollow
        self._held = np.empty(0, np.int64)  # of the last target, of which more may come

    def take(self, rows: Sequence[tuple[int]]) -> int:
        """Rows of one such number each, the next ones; returns the last source."""
        packed = np.concatenate([self._held, np.fromiter(chain.from_iterable(rows), np.int64, len(rows))])
        first = self._firsts(packed)
        self._held = packed[first[-1] :]
        self._add(packed[: first[-1]], first[:-1])
        return int(packed[-1] >> 32)

    def in_order(self, visited: Sequence[tuple[int, int]]) -> StoredOutlinks:
        """The links of those pages, in the order of their visits; to be called once, when all links were taken.

        visited: (visit << 32 | page, flags), flags: 1 the page says nofollow, 2 redirected, 4 too many redirects.
        """
        if len(self._held):
            self._add(self._held, np.zeros(1, np.int64))
        visits = np.array(visited, np.int64).reshape(-1, 2)
        visits = visits[np.argsort(visits[:, 0])]
        sources, flags = (visits[:, 0] & _TARGET).astype(np.int32), visits[:, 1]
        counts = self._counts[sources].astype(np.int64)
        starts = (np.cumsum(self._counts, dtype=np.int64) - self._counts)[sources]
        ends = np.cumsum(counts)
        links = np.frombuffer(self._links, np.uint32)
        ordered = np.empty(int(ends[-1]) if len(ends) else 0, np.uint32)
        begin = done = 0
        while begin < len(sources):
            end = max(begin + 1, int(np.searchsorted(ends, done + _GATHERED, side="right")))
            until = int(ends[end - 1])
            shift = starts[begin:end] - (ends[begin:end] - counts[begin:end])
            ordered[done:until] = links[np.arange(done, until) + np.repeat(shift, counts[begin:end])]
            begin, done = end, until
        return StoredOutlinks(
            sources,
            ends,
            (ordered >> 1).astype(np.int32),
            (ordered & 1).astype(np.bool_),
            (flags & 1).astype(np.bool_),
            (flags & 2).astype(np.bool_),
            (flags & 4).astype(np.bool_),
        )

    @staticmethod
    def _firsts(packed: _Packed) -> NDArray[np.int64]:
        """Where links to another target, or of another source, begin."""
        pairs = packed >> 1
        return np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]]))

    def _add(self, packed: _Packed, first: NDArray[np.int64]) -> None:
        if not len(packed):
            return
        every = np.minimum.reduceat(packed, first)  # nofollow only if all of them say so
        self._links.frombytes((every & 0xFFFF_FFFF).astype(np.uint32).tobytes())
        sources = every >> 32
        begins = np.flatnonzero(np.concatenate([[True], sources[1:] != sources[:-1]]))
        self._counts[sources[begins]] += np.diff(np.append(begins, len(sources))).astype(np.int32)
