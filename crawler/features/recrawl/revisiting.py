"""What a crawl that looks at its pages again takes from the store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hinterland.crawler.assembly.restoring import Blank
from hinterland.crawler.features.recrawl import make_revisit_policy
from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.pace import Pace
from hinterland.crawler.features.recrawl.paced_frontier import PacedFrontier
from hinterland.crawler.features.recrawl.revisits import Revisits
from hinterland.crawler.features.recrawl.schedule import RevisitSchedule
from hinterland.crawler.settings import PolitenessSettings, RevisitSettings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.history import StoredVersion

_BEFORE_NEW_PAGES: Final = 1e6
"""Added to the urgencies of pages that are looked at again: what is shown to users is to be true first."""


@dataclass(frozen=True, slots=True)
class Revisiting:
    """How stored pages are looked at again. budget: visits a second, inf for as many as hosts allow; None: each page
    once. seconds: with a budget, after which the crawl ends; None: when it is told to."""

    budget: float | None = None
    seconds: float | None = None


def paced_frontier(
    budget: float, settings: RevisitSettings, politeness: PolitenessSettings, **options: Any
) -> PacedFrontier:
    """options: of a Frontier."""
    bounds = Bounds(settings.shortest_hours * 3_600, max(settings.longest_days * 24, settings.shortest_hours) * 3_600)
    schedule = RevisitSchedule(make_revisit_policy(settings.policy), budget, bounds)
    return PacedFrontier(politeness, schedule, budget=budget, new_share=settings.new_pages_share, **options)


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


async def look_once(store: LinkStore, blank: Blank, settings: RevisitSettings, now: float) -> Revisits:
    """Let all pages that were visited wait for another look: those that matter most first, by the ranks that are
    stored."""
    settled = await store.ask(lambda stored: stored.history.settled())
    pages = np.array(settled.pages, np.int32)
    blank.frontier.add(pages, blank.known.hosts()[pages], np.array(settled.ranks) + _BEFORE_NEW_PAGES, now)
    return Revisits(settings, VersionsInStore(store), pages.tolist())


async def keep_looking(store: LinkStore, blank: Blank, settings: RevisitSettings, pace: Pace, now: float) -> Revisits:
    """Let all pages that were visited come due by the schedule."""
    settled = await store.ask(lambda stored: stored.history.settled())
    hosts = blank.known.hosts()[np.array(settled.pages, np.int32)]
    signals = await store.ask(lambda stored: stored.history.signals())
    await asyncio.to_thread(pace.begin, settled, hosts, signals, now)
    return Revisits(settings, VersionsInStore(store), settled.pages.tolist(), pace)
