"""The interface of frontier policies, which learn of fetched pages and decide how urgent waiting pages are."""

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
"""Bound of the L1 error of the PageRank behind an order. Spread over all pages, that is a millionth of the mean rank.
Estimates are computed more precisely; an order is outdated as soon as another page is fetched."""


class FrontierPolicy(Protocol):
    """Decides how urgent waiting pages are. The most urgent is visited first; among equals, the first discovered.

    Page numbers are dense and count up in the order of discovery. `discovered` and `fetched` are called on the event
    loop for every visit, so they must cost O(pages given). Computations over the whole crawl belong in a refresh:
    `begin_refresh` takes cheap copies on the event loop and returns a function that computes the urgencies of all
    waiting pages in another thread, while the crawl goes on.
    """

    @property
    def uses_links(self) -> bool:
        """Whether the policy must be given all links again at a restart.

        This is not necessary if the effects of `fetched` last only until the next refresh.
        """
        ...

    @property
    def needs_refresh(self) -> bool:
        """Whether urgencies change after discovery.

        If they do, a refresh is due every refresh_pages fetched pages or refresh_seconds, whichever comes first
        (section [policy] of the settings).
        """
        ...

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the urgencies of the pages found by one visit, in the order of their links, shape (k,) with k >= 1."""
        ...

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """Learn that a page was fetched; `outlinks` are the distinct pages it links to, shape (k,).

        Called before the `discovered` of the same visit.
        """
        ...

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Learn, once at a restart, of all calls of `fetched` in earlier runs, in the same order.

        Called only if the policy `uses_links`. pages[i] links to targets[ends[i - 1]:ends[i]].
        """
        ...

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that computes new urgencies of the waiting pages.

        `waiting` holds the waiting pages in ascending order, shape (k,); the function's result has the same shape.
        `crawled` is the graph known now; values that it derives on demand are not computed yet. `batch` is the
        approximate number of pages that will be fetched before the next refresh.
        """
        ...
