"""Jobs that run alongside the visits: they recompute depths, rank the waiting pages, or do what a feature needs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import Final

import numpy as np

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.frontier.pages.depths import FollowedLinks, shortest
from hinterland.crawler.frontier.waiting_pages import HostOrder
from hinterland.crawler.loop.crawl_io import CrawlIO, Schedule
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.moments import UpkeepJob
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.settings import PolicySettings

_MOMENT: Final = 0.001  # seconds in which visits go on between two pauses
FREED_AT_ONCE: Final = 2000
"""How many small objects of the replaced order are freed in one step; visits go on between the steps."""


class Upkeep:
    """Runs jobs one at a time, always the first in the list that is due.

    It looks for a due job when woken and at a regular interval.
    """

    def __init__(self, seconds: float) -> None:
        """`seconds` is the interval between two checks."""
        self._seconds = seconds
        self._woken = asyncio.Event()
        self.jobs: Sequence[UpkeepJob] = ()

    def wake(self) -> None:
        """Check soon whether a job is due."""
        self._woken.set()

    def consider(self) -> None:
        """Wake the upkeep if a job has become pressing."""
        for job in self.jobs:
            if job.is_pressing:
                self._woken.set()

    async def run(self) -> None:
        """Run jobs until cancelled."""
        while True:
            try:
                async with asyncio.timeout(self._seconds):
                    await self._woken.wait()
            except TimeoutError:
                pass
            self._woken.clear()
            job = next((job for job in self.jobs if job.is_due), None)
            if job is not None:
                await job.run()


class RelaxDepths:
    """Finds pages that are nearer to a seed than recorded."""

    is_pressing = False  # Dispatch wakes the upkeep for it

    def __init__(
        self,
        components: CrawlComponents,
        io: CrawlIO,
        crawl_state: CrawlState,
        dispatch: Dispatch,
        followed_links: Callable[[], Awaitable[FollowedLinks]],
        schedule: Schedule,
    ) -> None:
        """`followed_links` reads all committed links."""
        self._known = components.known
        self._writer = io.writer
        self._crawl_state = crawl_state
        self._dispatch = dispatch
        self._followed_links = followed_links
        self._schedule = schedule

    @property
    def is_due(self) -> bool:
        """Whether depths must be recomputed before the crawl can end."""
        return self._dispatch.depths_are_due

    async def run(self) -> None:
        """Recompute all depths in another thread, and store the depths that have become smaller."""
        links = await self._followed_links()
        depths = await asyncio.to_thread(shortest, self._known.depths(), links, self._known.max_depth)
        await self._writer.submit(self._crawl_state.depths_relaxed(depths, links.targets))
        self._dispatch.depths_are_due = False
        self._schedule()


class Reorder:
    """Base class of jobs that sort the waiting pages in another thread and then swap in the new order."""

    def __init__(self, components: CrawlComponents, io: CrawlIO, schedule: Schedule) -> None:
        """`schedule` is called when the new order is installed."""
        self._frontier = components.frontier
        self._now = io.now
        self._schedule = schedule

    async def install(self, order: HostOrder) -> None:
        """Swap in a new order, and free the old one step by step while visits go on."""
        garbage = self._frontier.install(order, self._now())
        self._schedule()
        for _ in garbage.parts(FREED_AT_ONCE):  # visits go on meanwhile
            await asyncio.sleep(_MOMENT)


class RefreshOrder(Reorder):
    """Makes the policy rank the waiting pages again."""

    def __init__(
        self,
        components: CrawlComponents,
        io: CrawlIO,
        crawl_state: CrawlState,
        log: LinkLog,
        settings: PolicySettings,
        preparation: Preparation,
        schedule: Schedule,
    ) -> None:
        """Refresh the order as `settings` say, but not before `preparation` has compiled the policy's code."""
        super().__init__(components, io, schedule)
        self._preparation = preparation
        self._policy = components.policy
        self._known = components.known
        self._features = components.features
        self._crawl_state = crawl_state
        self._log = log
        self._writer = io.writer
        self._refresh_pages = settings.refresh_pages

    @property
    def is_due(self) -> bool:
        """Whether pages were fetched since the last refresh, and the policy is allowed to rank now."""
        return self._crawl_state.fetched_since_refresh > 0 and self._can_rank

    @property
    def is_pressing(self) -> bool:
        """Whether enough pages were fetched since the last refresh, and the policy is allowed to rank now."""
        return self._crawl_state.fetched_since_refresh >= self._pages_between and self._can_rank

    async def run(self) -> None:
        """Rank a snapshot of the waiting pages in another thread, and install the order."""
        self._crawl_state.fetched_since_refresh = 0
        started = self._now()
        snapshot = self._frontier.begin_reordering()
        crawled = self._log.snapshot(self._known.local_mask(), self._known.hosts())
        compute = self._policy.begin_refresh(crawled, snapshot.pages, self._pages_between)
        if learnt := self._features.refreshed(self._crawl_state.last_visit):
            self._writer.submit(*learnt)
        ahead = self._features.keeps_ahead(snapshot.pages)

        def ranked() -> HostOrder:
            urgencies = compute()
            if ahead is not None:
                urgencies = np.where(ahead, inf, urgencies)
            return snapshot.sorted(urgencies)

        order = await asyncio.to_thread(ranked)
        self._crawl_state.tally.refreshes += 1
        self._crawl_state.tally.refresh_seconds += self._now() - started
        await self.install(order)

    @property
    def _can_rank(self) -> bool:
        return self._preparation.is_ready and not self._features.has_ranked

    @property
    def _pages_between(self) -> int:
        return self._features.pages_between_refreshes(self._crawl_state.pages_fetched, self._refresh_pages)


class Compact(Reorder):
    """Merges pages that were found recently into the sorted order of all waiting pages."""

    @property
    def is_due(self) -> bool:
        """Whether the frontier's heaps of new pages have grown large."""
        return self._frontier.wants_compaction

    @property
    def is_pressing(self) -> bool:
        """Whether the frontier's heaps of new pages have grown large."""
        return self._frontier.wants_compaction

    async def run(self) -> None:
        """Sort a snapshot of the waiting pages by their present urgencies, and install the order."""
        snapshot = self._frontier.begin_reordering()
        await self.install(await asyncio.to_thread(snapshot.sorted))
