"""The urgency of pages found since the last refresh, for policies whose urgency is something that flows along links."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class PassedOn:
    """A page that was fetched passes its own last urgency on, in equal parts to its k outlinks and itself:
    urgency / (k + 1) for each page it brings to light, in the unit of the refresh. 8 bytes a known page.
    """

    uses_links = False
    needs_refresh = True

    def __init__(self) -> None:
        self._last = np.ones(1024)  # by page number; seeds begin with 1
        self._known = 0
        self._part = 1.0
        self._refreshed: tuple[FloatArray, int] | None = None
        self._remembers = True

    def only_ranks(self) -> None:
        """It will be asked for refreshes alone, so nothing need be remembered for pages found between them."""
        self._remembers = False

    def fetched(self, page: int, outlinks: IntArray) -> None:
        if self._refreshed is not None:
            self._take_over(*self._refreshed)
            self._refreshed = None
        own = self._last[page] if page < len(self._last) else 1.0
        self._part = float(own) / (len(outlinks) + 1)

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        pass

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        self._know(int(pages.max()) + 1)
        self._last[pages] = self._part
        return np.full(len(pages), self._part)

    def remembering(self, waiting: IntArray, compute: Callable[[], FloatArray]) -> Callable[[], FloatArray]:
        """`compute`, which another thread will run, and its result kept as the last urgencies of `waiting`.

        Pages outside the local domain are ranked without having been discovered; they are known from then on.
        """
        if not self._remembers:
            return compute
        if len(waiting):
            self._know(int(waiting.max()) + 1)
        last, known = self._last, self._known

        def computed() -> FloatArray:
            urgencies = compute()
            refreshed = last.copy()  # beside the event loop: it may be large
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
        """Use refreshed urgencies, and for pages found while they were computed what they have been given."""
        if len(refreshed) < len(self._last):
            refreshed = np.concatenate([refreshed, self._last[len(refreshed) :]])
        refreshed[known : self._known] = self._last[known : self._known]
        self._last = refreshed
