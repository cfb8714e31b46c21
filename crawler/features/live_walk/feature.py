"""A random walk over the live web, as a feature of the crawl loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.live_walk.live_walk import LiveWalk, WalkRequest
from hinterland.crawler.features.live_walk.on_demand import OnDemandFrontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.moments import Job
from hinterland.crawler.loop.shell import Schedule
from hinterland.crawler.loop.workings import Workings
from hinterland.storage.link_store import LinkStore

_STEPS_AT_ONCE: Final = 500


class WalksLive(LiveWalk):
    """Takes the steps of the walk beside the visits."""

    def open(self, workings: Workings) -> None:
        self._jobs = [WalkOn(self, workings.dispatch, workings.schedule)]

    def jobs(self) -> Sequence[Job]:
        return self._jobs


async def live_walk_of(
    request: WalkRequest,
    store: LinkStore,
    known: KnownPages,
    frontier: OnDemandFrontier,
    log: LinkLog,
    now: Callable[[], float],
    patience_seconds: float,
) -> WalksLive:
    """Goes on from what earlier runs knew."""
    walk = WalksLive(request, known, frontier, now, patience_seconds)
    crawled = log.snapshot(known.local_mask(), known.hosts())
    walk.restore(crawled, await store.ask(lambda stored: stored.pages.numbers_fetched()))
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
