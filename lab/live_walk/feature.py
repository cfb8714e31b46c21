"""A random walk over the live web, as a feature of the crawl loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from hinterland.crawler.assembly.request import ChooserStart
from hinterland.crawler.loop.crawl_io import Schedule
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.moments import UpkeepJob
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.settings import PolitenessSettings
from hinterland.lab.live_walk.live_walk import LiveWalk, WalkRequest
from hinterland.lab.live_walk.on_demand import OnDemandFrontier

_STEPS_AT_ONCE: Final = 500


class WalksLive(LiveWalk):
    """Takes the steps of the walk beside the visits."""

    def open(self, workings: Workings) -> None:
        self._jobs = [WalkOn(self, workings.dispatch, workings.schedule)]

    def jobs(self) -> Sequence[UpkeepJob]:
        return self._jobs


@dataclass(frozen=True, slots=True)
class LiveWalks:
    """Lets a walk choose the pages of a crawl."""

    request: WalkRequest

    def starting_at(self, seeds: Sequence[str]) -> LiveWalks:
        return LiveWalks(replace(self.request, start=seeds[0]))

    def frontier(self, politeness: PolitenessSettings, **options: Any) -> OnDemandFrontier:
        return OnDemandFrontier(politeness, **options)

    async def feature(self, start: ChooserStart) -> WalksLive:
        """Goes on from what earlier runs knew."""
        assert isinstance(start.frontier, OnDemandFrontier)
        known = start.known
        walk = WalksLive(self.request, known, start.frontier, start.now, start.patience_seconds)
        crawled = start.log.snapshot(known.local_mask(), known.hosts())
        walk.restore(crawled, await start.store.ask(lambda stored: stored.pages.numbers_fetched()))
        return walk


class WalkOn:
    """Takes the steps of a random walk for which no page need be visited, until one must be."""

    is_pressing = False  # Dispatch wakes the upkeep for it

    def __init__(self, walk: LiveWalk, dispatch: Dispatch, schedule: Schedule) -> None:
        self._walk = walk
        self._dispatch = dispatch
        self._schedule = schedule

    @property
    def is_due(self) -> bool:
        return self._walk.can_go_on

    async def run(self) -> None:
        while self._walk.can_go_on:
            self._walk.advance(_STEPS_AT_ONCE)
            await asyncio.sleep(0)
        if self._walk.is_over:
            self._dispatch.end(EndReason.STOPPED)
        self._schedule()
