"""The base class of policies that never change a page's urgency after its discovery."""

from __future__ import annotations

from collections.abc import Callable

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class FixedOrder:
    """A policy without refreshes. A subclass adds `discovered`, and `__init__` if it has a state."""

    uses_links = False
    needs_refresh = False

    def __init__(self, seed: int) -> None:
        """Ignore the seed of random draws."""

    def fetched(self, page: int, outlinks: IntArray) -> None:
        """Ignore the links of a page."""

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        """Ignore the links of earlier runs."""

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Raise RuntimeError: this order needs no refresh."""
        raise RuntimeError(f"a page's urgency never changes under the policy {type(self).__name__}")
