"""Endless spaces slowed down, as a feature of the crawl loop: goes on from what earlier runs had found."""

from __future__ import annotations

from hinterland.crawler.features.traps.deprioritiser import TrapDeprioritiser
from hinterland.crawler.features.traps.guard import TrapGuard
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.settings import TrapSettings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.records import SlowedShapes


class NothingDeprioritised(Feature):
    """In crawls without a guard: what earlier runs had slowed down goes on like all else."""

    def progress(self) -> SlowedShapes:
        return SlowedShapes(())


async def deprioritiser_from_store(
    settings: TrapSettings, store: LinkStore, known: KnownPages, frontier: Frontier
) -> TrapDeprioritiser:
    """With the shapes that earlier runs had slowed down."""
    guard = TrapGuard(settings)
    guard.restore(await store.ask(lambda stored: stored.hosts.slowed_shapes()))
    return TrapDeprioritiser(guard, known, frontier)
