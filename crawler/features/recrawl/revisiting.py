"""Prepares revisits: the frontier that schedules them, and access to stored versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.paced_frontier import PacedFrontier
from hinterland.crawler.features.recrawl.policies import make_revisit_policy
from hinterland.crawler.features.recrawl.schedule import RevisitSchedule
from hinterland.crawler.settings import PolitenessSettings, RevisitSettings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.history import StoredVersion

BEFORE_NEW_PAGES: Final = 1e6
"""Added to the urgencies of revisits, so that pages that users can already see become current first."""
_NEW_PAGES_SHARE: Final = 0.5
"""Share of the budget for pages that were never visited. If there are too few of them, revisits use the rest."""


@dataclass(frozen=True, slots=True)
class Revisiting:
    """How stored pages are revisited.

    `budget` is in visits per second, inf for as many as hosts allow; None means that each page is revisited once. With
    a budget the crawl ends after `seconds`, or only when it is stopped if `seconds` is None.
    """

    budget: float | None = None
    seconds: float | None = None


def paced_frontier(
    budget: float, settings: RevisitSettings, politeness: PolitenessSettings, **options: Any
) -> PacedFrontier:
    """Return a frontier with a schedule for `budget` visits per second; `options` are passed to Frontier."""
    bounds = Bounds(settings.shortest_hours * 3_600, max(settings.longest_days * 24, settings.shortest_hours) * 3_600)
    schedule = RevisitSchedule(make_revisit_policy(settings.policy), budget, bounds)
    return PacedFrontier(politeness, schedule, budget=budget, new_share=_NEW_PAGES_SHARE, **options)


class VersionsInStore:
    """Reads stored versions of pages for `Revisits`."""

    def __init__(self, store: LinkStore) -> None:
        """Read from `store`."""
        self._store = store

    async def versions(self, pages: Sequence[int]) -> Mapping[int, StoredVersion]:
        """Return the stored versions by page; pages that the store does not know are left out."""
        return await self._store.ask(lambda stored: stored.history.versions(pages))

    async def text(self, page: int) -> bytes:
        """Return the visible text as a zstd frame; b"" if none is kept."""
        return await self._store.ask(lambda stored: stored.history.packed_text(page))

    async def targets(self, page: int) -> frozenset[int]:
        """Return the pages that the links of a page lead to."""
        return await self._store.ask(lambda stored: stored.history.targets(page))
