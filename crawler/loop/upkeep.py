"""What is done beside the visits: depths looked at again, rounds of the hinterland, the order refreshed, compaction."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from math import inf
from typing import Final, Protocol

import numpy as np

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.features.live_walk.live_walk import LiveWalk
from hinterland.crawler.features.outside.rounds import Rounds
from hinterland.crawler.features.recrawl.pace import Pace
from hinterland.crawler.frontier.pages.depths import FollowedLinks, shortest
from hinterland.crawler.frontier.waiting_pages import HostOrder
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.ledger import Ledger
from hinterland.crawler.loop.decisions.parts import Parts
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.loop.shell import Schedule, Shell
from hinterland.crawler.settings import PolicySettings

_MOMENT: Final = 0.001  # seconds in which visits go on between two pauses
_STEPS_AT_ONCE: Final = 500
FREED_AT_ONCE: Final = 2000
"""Of the many small objects that a new order makes superfluous."""


class Job(Protocol):
    @property
    def is_due(self) -> bool:
        """Whether there is anything to do."""
        ...

    @property
    def is_pressing(self) -> bool:
        """Whether it is to be done now, and not only when the time has come to look."""
        ...

    async def run(self) -> None: ...


class Upkeep:
    """Runs jobs one after another, the first that is due; looks when woken, and every so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._woken = asyncio.Event()
        self.jobs: Sequence[Job] = ()

    def wake(self) -> None:
        self._woken.set()

    def consider(self) -> None:
        """Wake if something has become pressing."""
        for job in self.jobs:
            if job.is_pressing:
                self._woken.set()

    async def run(self) -> None:
        """Until cancelled."""
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
    """Finds pages that lie nearer than they seem; followed_links: reads all links that are committed."""

    is_pressing = False  # Dispatch wakes the upkeep for it

    def __init__(
        self,
        parts: Parts,
        shell: Shell,
        ledger: Ledger,
        dispatch: Dispatch,
        followed_links: Callable[[], Awaitable[FollowedLinks]],
        schedule: Schedule,
    ) -> None:
        self._known = parts.known
        self._writer = shell.writer
        self._ledger = ledger
        self._dispatch = dispatch
        self._followed_links = followed_links
        self._schedule = schedule

    @property
    def is_due(self) -> bool:
        return self._dispatch.depths_are_due

    async def run(self) -> None:
        links = await self._followed_links()
        depths = await asyncio.to_thread(shortest, self._known.depths(), links, self._known.max_depth)
        await self._writer.submit(self._ledger.depths_relaxed(depths, links.targets))
        self._dispatch.depths_are_due = False
        self._schedule()


class RunRound:
    """Estimates, and chooses pages outside."""

    is_pressing = False  # Dispatch wakes the upkeep for it

    def __init__(self, rounds: Rounds, parts: Parts, ledger: Ledger, dispatch: Dispatch, schedule: Schedule) -> None:
        self._rounds = rounds
        self._outside = parts.outside
        self._ledger = ledger
        self._dispatch = dispatch
        self._schedule = schedule

    @property
    def is_due(self) -> bool:
        return self._rounds.is_due

    async def run(self) -> None:
        await self._rounds.run(self._ledger.last_visit)
        if self._outside.is_settled:
            self._dispatch.end(EndReason.SETTLED)
        self._schedule()


class LearnRates:
    """Learns anew how often pages change, and so when each is to be looked at again."""

    is_pressing = False  # an hour more or less makes no difference

    def __init__(self, pace: Pace, now: Callable[[], float], schedule: Schedule) -> None:
        self._pace = pace
        self._now = now
        self._schedule = schedule

    @property
    def is_due(self) -> bool:
        return self._pace.is_learning_due(self._now())

    async def run(self) -> None:
        self._pace.learnt(await asyncio.to_thread(self._pace.begin_learning(self._now())))
        self._schedule()


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


class _Reorder:
    """Sorts what waits in another thread, and swaps the order in."""

    def __init__(self, parts: Parts, shell: Shell, schedule: Schedule) -> None:
        self._frontier = parts.frontier
        self._now = shell.now
        self._schedule = schedule

    async def _install(self, order: HostOrder) -> None:
        garbage = self._frontier.install(order, self._now())
        self._schedule()
        for _ in garbage.parts(FREED_AT_ONCE):  # visits go on meanwhile
            await asyncio.sleep(_MOMENT)


class RefreshOrder(_Reorder):
    """Has the policy rank anew what waits."""

    def __init__(
        self,
        parts: Parts,
        shell: Shell,
        ledger: Ledger,
        log: LinkLog,
        settings: PolicySettings,
        preparation: Preparation,
        schedule: Schedule,
    ) -> None:
        super().__init__(parts, shell, schedule)
        self._preparation = preparation
        self._policy = parts.policy
        self._known = parts.known
        self._outside = parts.outside
        self._ledger = ledger
        self._log = log
        self._focus = parts.focus
        self._writer = shell.writer
        self._refresh_pages = settings.refresh_pages

    @property
    def is_due(self) -> bool:
        """What waits in the hinterland is a batch that a round has ranked."""
        return self._ledger.fetched_since_refresh > 0 and self._can_rank

    @property
    def is_pressing(self) -> bool:
        return self._ledger.fetched_since_refresh >= self._pages_between and self._can_rank

    async def run(self) -> None:
        self._ledger.fetched_since_refresh = 0
        started = self._now()
        snapshot = self._frontier.begin_reordering()
        crawled = self._log.snapshot(self._known.local_mask(), self._known.hosts())
        compute = self._policy.begin_refresh(crawled, snapshot.pages, self._pages_between)
        learnt = self._focus.refreshed(self._ledger.last_visit)
        if learnt:
            self._writer.submit(*learnt)
        is_outside = self._known.outside_mask()[snapshot.pages] if self._outside.is_interleaved else None

        def ranked() -> HostOrder:
            urgencies = compute()
            if is_outside is not None:  # those outside keep to their share, see OutsidePages
                urgencies = np.where(is_outside, inf, urgencies)
            return snapshot.sorted(urgencies)

        order = await asyncio.to_thread(ranked)
        self._ledger.tally.refreshes += 1
        self._ledger.tally.refresh_seconds += self._now() - started
        await self._install(order)

    @property
    def _can_rank(self) -> bool:
        return self._preparation.is_ready and not self._outside.ranks_what_waits

    @property
    def _pages_between(self) -> int:
        return self._focus.pages_between_refreshes(self._ledger.pages_fetched, self._refresh_pages)


class TakeOverOrder(_Reorder):
    """Has what waits be in the order that was found elsewhere, of the links of all shards."""

    def __init__(self, parts: Parts, shell: Shell, ledger: Ledger, shared: SharedGraph, schedule: Schedule) -> None:
        super().__init__(parts, shell, schedule)
        self._ledger = ledger
        self._shared = shared

    @property
    def is_due(self) -> bool:
        return self._shared.is_ranked

    @property
    def is_pressing(self) -> bool:
        return self._shared.is_ranked

    async def run(self) -> None:
        started = self._now()
        snapshot = self._frontier.begin_reordering()
        order = await asyncio.to_thread(snapshot.sorted, self._shared.take_over(snapshot))
        self._ledger.tally.refreshes += 1
        self._ledger.tally.refresh_seconds += self._now() - started
        await self._install(order)


class Compact(_Reorder):
    """Merges what was found since the last order into it."""

    @property
    def is_due(self) -> bool:
        return self._frontier.wants_compaction

    @property
    def is_pressing(self) -> bool:
        return self._frontier.wants_compaction

    async def run(self) -> None:
        snapshot = self._frontier.begin_reordering()
        await self._install(await asyncio.to_thread(snapshot.sorted))
