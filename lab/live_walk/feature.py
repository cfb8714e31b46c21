"""A random walk over the live web, as a feature of the crawl loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from hinterland.crawler.loop.crawl_io import Schedule
from hinterland.crawler.loop.crawl_start import Chooser, CrawlRequest, CrawlStart
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.moments import UpkeepJob
from hinterland.crawler.loop.workings import Workings
from hinterland.lab.live_walk.live_walk import LiveWalk, WalkRequest
from hinterland.lab.live_walk.on_demand import OnDemandFrontier

_STEPS_AT_ONCE: Final = 500


class WalksLive(LiveWalk):
    """A live walk that takes its steps while visits go on."""

    def open(self, workings: Workings) -> None:
        """Create the job that takes the steps."""
        self._jobs = [WalkOn(self, workings.dispatch, workings.schedule)]

    def jobs(self) -> Sequence[UpkeepJob]:
        """Return the job that takes the steps."""
        return self._jobs


@dataclass(frozen=True, slots=True)
class LiveWalks(Chooser):
    """Makes a random walk decide which pages of a crawl are visited."""

    request: WalkRequest

    def starting_at(self, seeds: Sequence[str]) -> LiveWalks:
        """Return the same choice of pages, but with a walk that starts at the first seed."""
        return LiveWalks(replace(self.request, start=seeds[0]))

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return the name of the walk for messages. It cannot run in shards, since each step depends on the last."""
        return "a random walk"

    def needs_links(self, request: CrawlRequest) -> bool:
        """Return True, since a walk follows links."""
        return True

    def frontier(self, request: CrawlRequest, options: Mapping[str, Any]) -> OnDemandFrontier:
        """Return a frontier from which only requested pages are visited."""
        return OnDemandFrontier(request.settings.politeness, **options)

    async def make(self, start: CrawlStart) -> WalksLive:
        """Return the walk. It knows the pages and links that earlier runs found."""
        known, frontier, log = start.core.known, start.core.frontier, start.core.log
        assert isinstance(frontier, OnDemandFrontier)
        assert log is not None
        patience = start.settings.politeness.max_retry_wait_seconds
        walk = WalksLive(self.request, known, frontier, start.now, patience)
        crawled = log.snapshot(known.local_mask(), known.hosts())
        walk.restore(crawled, await start.store.ask(lambda stored: stored.pages.numbers_fetched()))
        return walk


class WalkOn:
    """Takes steps of a random walk until a page must be visited."""

    is_pressing = False  # Dispatch wakes the upkeep when it is due

    def __init__(self, walk: LiveWalk, dispatch: Dispatch, schedule: Schedule) -> None:
        """Start idle; `dispatch` can end the crawl, and `schedule` lets it continue."""
        self._walk = walk
        self._dispatch = dispatch
        self._schedule = schedule

    @property
    def is_due(self) -> bool:
        """Whether the walk can take a step now."""
        return self._walk.can_go_on

    async def run(self) -> None:
        """Take steps until a page must be visited or the walk is over."""
        while self._walk.can_go_on:
            self._walk.advance(_STEPS_AT_ONCE)
            await asyncio.sleep(0)
        if self._walk.is_over:
            self._dispatch.end(EndReason.STOPPED)
        self._schedule()
