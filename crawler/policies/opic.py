"""`opic`: pages that hold the most cash, which fetched pages pass on along their links, come first.

The greedy strategy of Abiteboul, Preda & Cobena, "Adaptive On-Line Page Importance Computation", WWW 2003.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.analysis.cash import give_away
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class Opic:
    """Orders pages by their cash. A fetched page divides its cash equally among the pages it links to.

    In the paper each of a fixed number of pages begins with the same cash. Here the known web grows during the crawl:
    every page begins with 1 when it becomes known, so the order does not depend on the number of pages. A page without
    links gives its cash to a virtual page, which immediately divides it equally among all known pages. Since each page
    gets the same, one sum, `_given`, stores what all of them got. Other pages give nothing to the virtual page. No
    history of cash is kept, because it is needed only for pages that are fetched again. Takes 8 bytes per known page.
    """

    uses_links = True
    needs_refresh = True

    def __init__(self, seed: int) -> None:
        """Begin with no known page; the seed is not used."""
        self._own = np.ones(1024)  # cash less _given, by page number
        self._known = 0
        self._given = 0.0

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the cash of each page, shape (k,).

        The pages are recorded by `fetched`, because after a restart `discovered` is not called for pages of earlier
        runs.
        """
        self._grow(int(pages.max()) + 1)
        return np.where(pages < self._known, self._own[pages] + self._given, 1.0)

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """Divide the cash of a page among the pages it links to."""
        others = outlinks[outlinks != page]
        known = max(page, int(others.max()) if len(others) else 0) + 1
        if known > self._known:
            self._grow(known)
            self._own[self._known : known] = 1.0 - self._given
            self._known = known
        cash = self._own[page] + self._given
        self._own[page] = -self._given
        if len(others):
            self._own[others] += cash / len(others)
        else:
            self._given += cash / self._known

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Pass on the cash of all pages of earlier runs, in the same order."""
        self._grow(1 + max(int(pages.max(initial=0)), int(targets.max(initial=0))))
        self._known, self._given = give_away(self._own, self._known, self._given, pages, ends, targets)

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that returns the cash of each waiting page as of now, even if it is called later."""
        if len(waiting):
            self._grow(int(waiting.max()) + 1)
        own, given, known = self._own[waiting], self._given, self._known
        return lambda: np.where(waiting < known, own + given, 1.0)

    def _grow(self, size: int) -> None:
        if size > len(self._own):
            grown = np.zeros(max(size, 2 * len(self._own)))
            grown[: len(self._own)] = self._own
            self._own = grown
