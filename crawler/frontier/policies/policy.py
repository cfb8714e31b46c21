"""The interface of frontier policies: they learn what happened and say how urgent pages are."""

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
"""Bound of the L1 error of the PageRank behind an order: spread over all pages, a millionth of the mean rank. Estimates
are computed to more digits; an order is out of date with the next page that is fetched.
"""


class FrontierPolicy(Protocol):
    """How urgent waiting pages are: the larger goes first, and the earlier discovered first among equals.

    Page numbers are dense and count up in the order of discovery. `discovered` and `fetched` are called on the event
    loop for every visit, so they cost O(pages given). What needs the whole crawl belongs in a refresh: `begin_refresh`
    takes cheap copies on the event loop and returns a function that computes the urgencies of all waiting pages in
    another thread, while the crawl goes on.
    """

    @property
    def uses_links(self) -> bool:
        """Whether the policy has to be given all links again at a restart.

        It does not if what `fetched` does lasts only until the next refresh.
        """
        ...

    @property
    def needs_refresh(self) -> bool:
        """Whether urgencies change after discovery.

        If so, a refresh is due every refresh_pages fetched pages or refresh_seconds, whichever comes first (section
        [policy] of the settings).
        """
        ...

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the urgencies, shape (k,), of the pages that one visit found, in the order of their links; k >= 1."""
        ...

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """Learn that a page was fetched; `outlinks` are the distinct pages it links to, shape (k,).

        Called before the `discovered` of the same visit.
        """
        ...

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Learn, once at a restart, what `fetched` was called with in earlier runs, in the same order.

        Called only if the policy `uses_links`. pages[i] links to targets[ends[i - 1]:ends[i]].
        """
        ...

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that computes new urgencies of the waiting pages.

        Its result has shape (k,), as has `waiting`, the waiting pages in ascending order. `crawled` is what is known
        now; nothing of it is built yet. `batch` is about how many pages will be fetched before the next refresh.
        """
        ...
