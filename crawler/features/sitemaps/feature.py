"""The feature of the crawl loop that reads sitemaps, feeds and notices of changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hinterland.crawler.features.page_facts.settings import AuditSettings
from hinterland.crawler.features.recrawl.feature import Recrawl
from hinterland.crawler.features.recrawl.revisits import Revisits
from hinterland.crawler.features.sitemaps.entry_records import ENTRIES
from hinterland.crawler.features.sitemaps.indexnow_consumer import IndexNowConsumer
from hinterland.crawler.features.sitemaps.known_sitemaps import KnownSitemaps, SitemapLimits
from hinterland.crawler.features.sitemaps.outcomes import ASKER, Sitemaps, restored_row
from hinterland.crawler.features.sitemaps.settings import SitemapSettings
from hinterland.crawler.features.sitemaps.sitemap_visits import SitemapVisits
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, HostTaskRunner
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.indexnow_inbox import IndexNowInbox
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.extraction import ExtractionTable


class SitemapDiscovery(Feature):
    """Requests sitemaps and feeds that are due.

    Pages that sitemaps, feeds or notices name are added to the crawl, or signalled as changed.
    """

    asks_beside = True  # for the key files of hosts that push notices

    def __init__(
        self,
        sitemaps: Sitemaps,
        revisits: Revisits | None,
        known: KnownPages,
        frontier: Frontier,
        scope: Scope,
        store: LinkStore,
        *,
        keeps_entries: bool = False,
    ) -> None:
        """Read sitemaps for one crawl. `revisits` receives signals about stored pages; None if pages are not revisited.

        `keeps_entries` says whether to store which pages each sitemap lists.
        """
        self._keeps_entries = keeps_entries
        self._sitemaps = sitemaps
        self._revisits = revisits
        self._known = known
        self._frontier = frontier
        self._scope = scope
        self._store = store
        self._tasks: Mapping[str, HostTaskRunner] = {}

    @property
    def tables(self) -> Sequence[ExtractionTable]:
        """The table of the pages that sitemaps list, if they are to be stored."""
        return [ENTRIES] if self._keeps_entries else []

    def open(self, workings: Workings) -> None:
        """Connect to the crawl."""
        self._tasks = {
            ASKER: SitemapVisits(self._sitemaps, self._revisits, workings, keeps_entries=self._keeps_entries)
        }
        self._notices = IndexNowConsumer(
            IndexNowInbox.of(self._store.path), self._revisits, self._scope, self._last_visits, workings
        )

    async def beside(self) -> None:
        """Process notices of changes until cancelled."""
        await self._notices.run()

    async def _last_visits(self, pages: Sequence[int]) -> Mapping[int, float]:
        return await self._store.ask(lambda stored: stored.history.last_visits(pages))

    def robots_read(self, host: str, sitemaps: Sequence[str], now: float) -> None:
        """Note the sitemaps that a host's robots.txt names."""
        self._sitemaps.robots_read(host, sitemaps, now)

    def visited(self, ended: Ended) -> None:
        """Count a visit to a page, which allows more requests for its host's sitemaps."""
        self._sitemaps.page_visited(self._known.host_urls[ended.visit.host])

    def send_due(self, now: float) -> float | None:
        """Queue due sitemaps at their hosts; return when to check again, None if no sitemap waits."""
        return self._sitemaps.send_due(self._frontier, self._known.find_host_of, now)

    @property
    def tasks(self) -> Mapping[str, HostTaskRunner]:
        """The object that carries out visits to sitemaps."""
        return self._tasks

    @property
    def is_busy(self) -> bool:
        """Whether a sitemap has been requested or is being read."""
        return self._sitemaps.is_busy

    def statistics(self, now: float, waiting: int) -> dict[str, dict[str, int]]:
        """Return the counts of sitemaps by outcome."""
        return {"sitemaps": self._sitemaps.statistics()}


class SitemapsFactory(FeatureFactory):
    """Adds the reading of sitemaps to crawls and recrawls whose settings ask for it."""

    counters = ("sitemaps",)

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return "reading sitemaps", which shards do not support, if a first crawl does so; else ""."""
        return "reading sitemaps" if request.settings.of(SitemapSettings).use == "always" else ""

    async def make(self, start: CrawlStart) -> SitemapDiscovery | None:
        """Return the feature, with stored sitemaps, and sitemaps that stored robots.txt files and front pages name."""
        recrawl, use = start.feature(Recrawl), start.settings.of(SitemapSettings).use
        if use == "never" or (use == "recrawl" and recrawl is None):
            return None
        revisits = None if recrawl is None else recrawl.revisits
        store, core, now = start.store, start.core, start.now()
        rows = await store.ask(lambda stored: stored.history.sitemaps())
        limits = SitemapLimits(own_folder_only=start.settings.of(SitemapSettings).own_folder_only)
        listed = KnownSitemaps(map(restored_row, rows), limits=limits)
        sitemaps = Sitemaps(listed, Canonicaliser.under(start.settings.urls), revisits)
        urls = core.known.host_urls
        for host, named in await store.ask(lambda stored: stored.hosts.sitemaps()):
            sitemaps.robots_read(urls[host], named, now)
        for host, alternates in (await store.ask(lambda stored: stored.links.of_front_pages("alternate"))).items():
            sitemaps.alternates_stored(urls[host], alternates, now)
        keeps_entries = start.settings.of(AuditSettings).page_facts
        return SitemapDiscovery(
            sitemaps, revisits, core.known, core.frontier, core.scope, store, keeps_entries=keeps_entries
        )
