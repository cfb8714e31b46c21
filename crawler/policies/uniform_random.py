"""`random`: every waiting page is equally likely to be next; the same seed gives the same order."""

from __future__ import annotations

from hinterland.analysis.sampling import permanent_random_numbers
from hinterland.crawler.frontier.policies.fixed_order import FixedOrder
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray


class UniformRandom(FixedOrder):
    """A random order. The urgency is a hash of page number and seed, so it survives a restart without being stored."""

    def __init__(self, seed: int) -> None:
        """`seed` determines the order."""
        self._seed = seed

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return a hash of each page's number, shape (k,)."""
        return permanent_random_numbers(pages, self._seed)
