"""`dfs`: pages found last first; those of one page in the order of its links."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.frontier.policies.fixed_order import FixedOrder
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray


class DepthFirst(FixedOrder):
    """Depth-first order."""

    def __init__(self, seed: int) -> None:
        """Begin with no discovery; the seed is not used."""
        self._discoveries = 0

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the number of this discovery for each page, shape (k,)."""
        self._discoveries += 1
        return np.full(len(pages), float(self._discoveries))
