"""Gives urgencies to pages found between two refreshes, for policies in which urgency flows along links."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class PassedOn:
    """A policy under which a fetched page passes its last urgency on to the pages it links to.

    The urgency is divided equally among the k pages it links to and the page itself. Each of them that is new gets
    urgency / (k + 1), in the unit of the urgencies that a refresh computes. Takes 8 bytes per known page.
    """

    uses_links = False
    needs_refresh = True

    def __init__(self) -> None:
        """Begin with urgency 1 for seeds."""
        self._last = np.ones(1024)  # by page number; seeds begin with 1
        self._known = 0
        self._part = 1.0
        self._refreshed: tuple[FloatArray, int] | None = None
        self._remembers = True

    def only_ranks(self) -> None:
        """Stop remembering urgencies between refreshes, because only refreshes will be requested."""
        self._remembers = False

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """Compute the urgency that each page discovered on this page will get."""
        if self._refreshed is not None:
            self._take_over(*self._refreshed)
            self._refreshed = None
        own = self._last[page] if page < len(self._last) else 1.0
        self._part = float(own) / (len(outlinks) + 1)

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Ignore the links of earlier runs."""

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the urgencies of pages discovered on the page fetched last, all equal, shape (k,)."""
        self._know(int(pages.max()) + 1)
        self._last[pages] = self._part
        return np.full(len(pages), self._part)

    def remembering(self, waiting: IntArray, compute: Callable[[], FloatArray]) -> Callable[[], FloatArray]:
        """Return a function that calls `compute`, keeps the result as the last urgencies of `waiting`, and returns it.

        The function may run in another thread. `waiting` may contain outside pages, which were never passed to
        `discovered`; from now on their urgencies are kept, too.
        """
        if not self._remembers:
            return compute
        if len(waiting):
            self._know(int(waiting.max()) + 1)
        last, known = self._last, self._known

        def computed() -> FloatArray:
            urgencies = compute()
            refreshed = last.copy()  # not on the event loop: it may be large
            refreshed[waiting] = urgencies
            self._refreshed = refreshed, known
            return urgencies

        return computed

    def _know(self, count: int) -> None:
        self._known = max(self._known, count)
        if self._known > len(self._last):
            grown = np.ones(max(self._known, 2 * len(self._last)))
            grown[: len(self._last)] = self._last
            self._last = grown

    def _take_over(self, refreshed: FloatArray, known: int) -> None:
        """Use the urgencies of a refresh, but keep the urgencies of pages found while it was computed."""
        if len(refreshed) < len(self._last):
            refreshed = np.concatenate([refreshed, self._last[len(refreshed) :]])
        refreshed[known : self._known] = self._last[known : self._known]
        self._last = refreshed
