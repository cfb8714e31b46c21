"""`bfs`: pages nearest to the seeds first, in the order of discovery (Najork & Wiener 2001)."""

from __future__ import annotations

from hinterland.crawler.frontier.policies.fixed_order import FixedOrder
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray


class BreadthFirst(FixedOrder):
    """Breadth-first order."""

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return minus the depth of each page, shape (k,)."""
        return -depths.astype(float)
