"""How features take part in restoring a crawl from its store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.restored import LeftWaiting
from hinterland.storage.link_store import LinkStore


@dataclass(frozen=True, slots=True)
class RestoredPages:
    """What a store says about the pages of a crawl. Features receive this once the local pages are in the frontier.

    `outside` maps the numbers of waiting outside pages to their state, the most urgent first; features decide which of
    these pages still wait. `candidates` are the pages that a policy may choose, and `urgencies` their urgencies, shape
    (k,); both are empty if no feature ranks candidates.
    """

    pages_fetched: int
    local_fetched: int
    is_local_done: bool
    outside: Mapping[int, LeftWaiting]
    candidates: Sequence[int]
    urgencies: FloatArray


class Restorable(Feature):
    """Base class of features that continue from the contents of the store; the methods here do nothing."""

    @property
    def remembers_urgencies(self) -> bool:
        """Whether `relearn` restores the urgencies of known pages in the policy."""
        return False

    @property
    def ranks_candidates(self) -> bool:
        """Whether the policy must give an urgency to candidates, pages that may be chosen, when they are discovered."""
        return False

    async def relearn(self, store: LinkStore, waiting: IntArray, crawled: CrawledGraph | None) -> int | None:
        """Teach the policy again what the feature had taught the policy in earlier runs.

        `waiting` holds the waiting pages, and `crawled` the graph for refreshes, None if the policy has none. Returns
        how many pages were fetched after the last refresh, None if there was nothing to teach.
        """
        return None

    async def restore(self, store: LinkStore, stored: RestoredPages) -> None:
        """Continue from an earlier run."""
