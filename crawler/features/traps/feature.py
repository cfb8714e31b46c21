"""The feature of the crawl loop that detects traps. It continues with the findings of earlier runs."""

from __future__ import annotations

from hinterland.crawler.features.traps.deprioritiser import TrapDeprioritiser
from hinterland.crawler.features.traps.guard import TrapGuard
from hinterland.crawler.features.traps.settings import TrapSettings
from hinterland.crawler.loop.crawl_start import CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.storage.values.records import SlowedShapes


class NothingDeprioritised(Feature):
    """The feature of crawls without trap detection: pages that earlier runs deprioritised are like all others."""

    def progress(self) -> SlowedShapes:
        """Return the record that no shape is deprioritised any more."""
        return SlowedShapes(())


class TrapsFactory(FeatureFactory):
    """Adds trap detection to crawls, or clears its earlier findings if it is switched off."""

    counters = ("traps",)

    async def make(self, start: CrawlStart) -> TrapDeprioritiser | NothingDeprioritised:
        """Return the feature, with the shapes that earlier runs deprioritised."""
        if not start.settings.of(TrapSettings).enabled:
            return NothingDeprioritised()
        guard = TrapGuard(start.settings.of(TrapSettings))
        guard.restore(await start.store.ask(lambda stored: stored.hosts.slowed_shapes()))
        return TrapDeprioritiser(guard, start.core.known, start.core.frontier)
