"""What a frontier policy is: told what happened, asked how urgent pages are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.crawled_graph import CrawledGraph

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]
OffsetArray = NDArray[np.int64]

ORDER_TOLERANCE = 1e-6
"""Bound of the L1 error of the PageRank an order is made of: spread over all pages, a millionth of the mean rank.
An estimate is told to more digits; an order is out of date with the next page that is fetched."""


class FrontierPolicy(Protocol):
    """How urgent waiting pages are; the larger goes sooner, the earlier discovered first among equals.

    Page numbers are dense and count up in the order of discovery. `discovered` and `fetched` are called on
    the event loop for every visit, so they cost O(pages given). What needs the whole crawl belongs in a
    refresh: `begin_refresh` takes cheap copies on the event loop and returns a function that computes the
    urgencies of all waiting pages in another thread, while the crawl goes on.
    """

    @property
    def uses_links(self) -> bool:
        """Whether a restart has to tell it of all links again; not if what `fetched` does lasts until the next
        refresh only.
        """
        ...

    @property
    def needs_refresh(self) -> bool:
        """Whether urgencies change after discovery; if so a refresh is due every refresh_pages fetched
        pages or refresh_seconds, whichever comes first (section [policy] of the settings).
        """
        ...

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Urgencies, shape (k,), of pages one visit found, in the order of their links; k >= 1."""
        ...

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """A page was fetched; outlinks are the distinct pages it links to, shape (k,). Comes before the
        `discovered` of the same visit.
        """
        ...

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Once at a restart, and only if it uses_links: what `fetched` was told of these pages, one after the other.
        pages[i] links to targets[ends[i - 1]:ends[i]].
        """
        ...

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Returns what computes the new urgencies, shape (k,), of the frontier pages `waiting`, ascending,
        shape (k,).

        crawled: what is known now; nothing of it is built yet. batch: about how many pages will be fetched
        before the next refresh.
        """
        ...
