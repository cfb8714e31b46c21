"""What a crawl that looks at its pages again takes from the store."""

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
"""Added to the urgencies of pages that are looked at again: what is shown to users is to be true first."""
_NEW_PAGES_SHARE: Final = 0.5
"""Of a budget, for pages that were never visited, as long as there are any; what they leave goes to the others."""


@dataclass(frozen=True, slots=True)
class Revisiting:
    """How stored pages are looked at again. budget: visits a second, inf for as many as hosts allow; None: each page
    once. seconds: with a budget, after which the crawl ends; None: when it is told to.
    """

    budget: float | None = None
    seconds: float | None = None


def paced_frontier(
    budget: float, settings: RevisitSettings, politeness: PolitenessSettings, **options: Any
) -> PacedFrontier:
    """options: of a Frontier."""
    bounds = Bounds(settings.shortest_hours * 3_600, max(settings.longest_days * 24, settings.shortest_hours) * 3_600)
    schedule = RevisitSchedule(make_revisit_policy(settings.policy), budget, bounds)
    return PacedFrontier(politeness, schedule, budget=budget, new_share=_NEW_PAGES_SHARE, **options)


class VersionsInStore:
    """The stored versions of pages, as `Revisits` asks for them."""

    def __init__(self, store: LinkStore) -> None:
        self._store = store

    async def versions(self, pages: Sequence[int]) -> Mapping[int, StoredVersion]:
        return await self._store.ask(lambda stored: stored.history.versions(pages))

    async def text(self, page: int) -> bytes:
        return await self._store.ask(lambda stored: stored.history.packed_text(page))

    async def targets(self, page: int) -> frozenset[int]:
        return await self._store.ask(lambda stored: stored.history.targets(page))
