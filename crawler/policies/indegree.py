"""`indegree`: pages that most fetched pages link to first (backlink count of Cho, Garcia-Molina & Page 1998)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crawler.policies.policy import FloatArray, IntArray


class Indegree:
    uses_links = True
    needs_refresh = True

    def __init__(self) -> None:
        self._counts = np.zeros(1024, np.int32)

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        self._grow(int(pages.max()) + 1)
        return self._counts[pages].astype(float)

    def fetched(self, page: int, outlinks: IntArray) -> None:
        if len(outlinks):
            self._grow(int(outlinks.max()) + 1)
            self._counts[outlinks] += 1  # distinct, so no link is lost

    def begin_refresh(self, waiting: IntArray) -> Callable[[], FloatArray]:
        self._grow(int(waiting.max(initial=0)) + 1)
        counts = self._counts[waiting].astype(float)
        return lambda: counts

    def _grow(self, page_count: int) -> None:
        if page_count > len(self._counts):
            grown = np.zeros(max(page_count, 2 * len(self._counts)), np.int32)
            grown[: len(self._counts)] = self._counts
            self._counts = grown
