"""What features take part in when a crawl is restored from its store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray
from hinterland.crawler.loop.decisions.restored import LeftWaiting
from hinterland.storage.link_store import LinkStore


@dataclass(frozen=True, slots=True)
class RestoredPages:
    """What a store tells of a crawl, once its local pages wait in the frontier. outside: pages outside the domain that
    were waiting, by their numbers, the most urgent first; a feature says which of them go on waiting. candidates: pages
    that a policy may choose, shape (k,), and their urgencies; empty if no feature ranks candidates.
    """

    pages_fetched: int
    local_fetched: int
    is_local_done: bool
    outside: Mapping[int, LeftWaiting]
    candidates: Sequence[int]
    urgencies: FloatArray


class Restorable:
    """A feature that goes on from what the store knows; what is here does nothing."""

    @property
    def remembers_urgencies(self) -> bool:
        """Whether the policy, once `relearn` has told it everything again, knows how urgent pages were."""
        return False

    @property
    def ranks_candidates(self) -> bool:
        """Whether the policy says how urgent candidates are when they are met."""
        return False

    async def relearn(self, store: LinkStore, waiting: IntArray, crawled: CrawledGraph | None) -> int | None:
        """Tell the policy again what the feature had told it. waiting: the pages that wait; crawled: for its refreshes,
        None if it has none. Returns how many pages were fetched after its last one, None if it was told nothing.
        """
        return None

    async def restore(self, store: LinkStore, stored: RestoredPages) -> None:
        """Go on from an earlier run."""
