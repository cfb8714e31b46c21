"""The feature of the crawl loop that detects traps, which continues with the findings of earlier runs."""

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
    """The feature of crawls without trap detection, which treat pages deprioritised by earlier runs like others."""

    def progress(self) -> SlowedShapes:
        """Return the record that no shape is deprioritised any more."""
        return SlowedShapes(())


async def deprioritiser_from_store(
    settings: TrapSettings, store: LinkStore, known: KnownPages, frontier: Frontier
) -> TrapDeprioritiser:
    """Return the feature, with the shapes that earlier runs deprioritised."""
    guard = TrapGuard(settings)
    guard.restore(await store.ask(lambda stored: stored.hosts.slowed_shapes()))
    return TrapDeprioritiser(guard, known, frontier)
