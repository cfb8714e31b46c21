"""`dfs`: the pages found last first; those of one page in the order of its links."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.frontier.policies.fixed_order import FixedOrder
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray


class DepthFirst(FixedOrder):
    def __init__(self, seed: int) -> None:
        self._discoveries = 0

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        self._discoveries += 1
        return np.full(len(pages), float(self._discoveries))
