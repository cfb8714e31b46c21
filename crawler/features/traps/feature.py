"""Endless spaces slowed down, as a feature of the crawl loop: goes on from what earlier runs had found."""

from __future__ import annotations

from hinterland.crawler.features.traps.guard import TrapGuard
from hinterland.crawler.features.traps.slow_lane import SlowLane
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.settings import TrapSettings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.records import SlowedShapes


class NothingSlowed(Feature):
    """In crawls without a guard: what earlier runs had slowed down goes on like all else."""

    def progress(self) -> SlowedShapes:
        return SlowedShapes(())


async def slow_lane_of(settings: TrapSettings, store: LinkStore, known: KnownPages, frontier: Frontier) -> SlowLane:
    """With the shapes that earlier runs had slowed down."""
    guard = TrapGuard(settings)
    guard.restore(await store.ask(lambda stored: stored.hosts.slowed_shapes()))
    return SlowLane(guard, known, frontier)
