"""All but the urgency itself of policies under which it never changes once a page was discovered."""

from __future__ import annotations

from collections.abc import Callable

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray, OffsetArray


class FixedOrder:
    """A policy of this kind adds `discovered`, and `__init__` if it draws at random or remembers anything."""

    uses_links = False
    needs_refresh = False

    def __init__(self, seed: int) -> None:
        pass

    def fetched(self, page: int, outlinks: IntArray) -> None:
        pass

    def fetched_all(self, pages: IntArray, ends: OffsetArray, targets: IntArray) -> None:
        pass

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        raise RuntimeError(f"the urgency of a page never changes in the order of {type(self).__name__}")
