"""`dfs`: pages found last come first, and pages found on the same page in the order of its links."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.frontier.policies.fixed_order import FixedOrder
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray


class DepthFirst(FixedOrder):
    """Depth-first order."""

    def __init__(self, seed: int) -> None:
        """Begin without discoveries; the seed is not used."""
        self._discoveries = 0

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the number of calls so far, for every page, shape (k,); so later discoveries are more urgent."""
        self._discoveries += 1
        return np.full(len(pages), float(self._discoveries))
