"""The feature of the crawl loop that renders pages in browsers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from hinterland.crawler.features.rendering.allowance import MAX_RECEIVED_BYTES
from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable, find_chromium
from hinterland.crawler.features.rendering.settings import NEVER, RenderingSettings
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.loop.crawl_io import Clock, PageFetcher
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureFactory, FeatureUnusable
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.host_slots import HostSlots
from hinterland.crawler.loop.robots_reading import rules_of_host
from hinterland.crawler.parsing.page_parser import PageParser
from hinterland.crawler.settings import Settings, user_agent
from hinterland.crawler.urls.hosts import host_of
from hinterland.distribution.extras import need

_MAX_MEMORY_BYTES: Final = 1 << 30
"""If a page makes a browser use more memory than this, the page is given up and the browser is replaced."""


class _CrawlHosts:
    """Lends the hosts of the crawl, and knows their robots.txt rules."""

    def __init__(self, host_slots: HostSlots, components: CrawlComponents) -> None:
        self._host_slots = host_slots
        self._robots = components.robots
        self._known = components.known

    async def borrow(self, url: str) -> Callable[[float, float], None] | None:
        return await self._host_slots.acquire(url)

    async def rules(self, url: str, *, is_own: bool) -> RobotsRules | None:
        """Return the rules of a URL's host, None if its robots.txt cannot be read.

        For a page's own host, the visit to the page has already read them.
        """
        if not is_own and not await self._host_slots.knows_robots(url):
            return None
        host = self._known.find_host(host_of(url))
        assert host is not None, "a host is known once its robots.txt is"
        return await rules_of_host(self._robots, host)


class Rendering(Feature):
    """Renders pages in browsers before they are parsed."""

    asks_beside = True

    def __init__(self, settings: Settings) -> None:
        """Render pages according to the settings of the crawl."""
        self._settings = settings

    @asynccontextmanager
    async def wrapped(
        self, parsers: PageParser, fetcher: PageFetcher, components: CrawlComponents, host_slots: HostSlots, now: Clock
    ) -> AsyncIterator[PageParser]:
        """Open browsers, and provide parsers that render pages in them. Raises BrowserUnusable."""
        # Imported here because most crawls do not render.
        from hinterland.crawler.features.rendering.browser.browser import Browser
        from hinterland.crawler.features.rendering.browser.chromium import may_be_sandboxed
        from hinterland.crawler.features.rendering.browser.rendering_parsers import RenderingParsers
        from hinterland.crawler.features.rendering.browser.subrequests import Manners, Subrequests
        from hinterland.crawler.features.rendering.messages import RenderConfig

        rendering = self._settings.of(RenderingSettings)
        manners = Manners(
            delay_seconds=self._settings.politeness.delay_seconds,
            max_crawl_delay_seconds=self._settings.robots.max_crawl_delay_seconds,
        )
        config = RenderConfig(
            folder="",
            browser=await asyncio.to_thread(find_chromium, rendering.browser),
            agent=user_agent(self._settings.identity),
            timeout_seconds=rendering.timeout_seconds,
            quiet_seconds=rendering.quiet_seconds,
            max_bytes=self._settings.fetching.max_body_bytes,
            max_received_bytes=MAX_RECEIVED_BYTES,
            max_memory_bytes=_MAX_MEMORY_BYTES,
            is_sandboxed=may_be_sandboxed(rendering.sandbox),
        )
        subrequests = Subrequests(
            fetcher, _CrawlHosts(host_slots, components), manners, self._settings.fetching.max_body_bytes, now
        )
        browsers = [Browser(config, subrequests) for _ in range(rendering.browsers)]
        async with RenderingParsers(parsers, browsers, rendering) as parses:
            yield parses


class RenderingFactory(FeatureFactory):
    """Adds rendering to crawls whose settings ask for it."""

    def require(self, settings: Settings) -> None:
        """Check that there is a browser, and its driver. Raises MissingExtra and FeatureUnusable."""
        if not _is_wanted(settings):
            return
        need("render", by="rendering pages", otherwise="do without --render")
        try:
            find_chromium(settings.of(RenderingSettings).browser)
        except BrowserUnusable as error:
            raise FeatureUnusable(str(error)) from None

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return "rendering", which shards do not support, if pages are rendered; else ""."""
        return "rendering" if _is_wanted(request.settings) else ""

    async def make(self, start: CrawlStart) -> Rendering | None:
        """Return the feature."""
        return Rendering(start.settings) if _is_wanted(start.settings) else None


def _is_wanted(settings: Settings) -> bool:
    """Return whether any page is rendered."""
    return settings.of(RenderingSettings).pages != NEVER
