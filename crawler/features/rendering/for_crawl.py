"""Sets up rendering for a crawl, if the settings ask for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Final

from hinterland.crawler.features.rendering.allowance import MAX_RECEIVED_BYTES
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.loop.crawl_io import PageFetcher
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.host_slots import HostSlots
from hinterland.crawler.loop.robots_reading import rules_of_host
from hinterland.crawler.parsing.page_parser import PageParser
from hinterland.crawler.settings import Settings, user_agent
from hinterland.crawler.settings.sections.rendering import NEVER
from hinterland.crawler.urls.hosts import host_of

_MAX_MEMORY_BYTES: Final = 1 << 30
"""If a page makes a browser use more memory than this, the page is given up and the browser is replaced."""


def renders(settings: Settings) -> bool:
    """Return whether the settings ask for rendering."""
    return settings.rendering.pages != NEVER


def rendering(
    settings: Settings,
    parsers: PageParser,
    fetcher: PageFetcher,
    components: CrawlComponents,
    host_slots: HostSlots | None,
    now: Callable[[], float],
) -> AbstractAsyncContextManager[PageParser]:
    """Return the page parser for a crawl, as a context manager, built on `parsers`.

    Entering it raises BrowserUnusable. `loans` is None if the settings do not ask for rendering.
    """
    return (
        nullcontext(parsers)
        if host_slots is None
        else _rendering(settings, parsers, fetcher, components, host_slots, now)
    )


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


@asynccontextmanager
async def _rendering(
    settings: Settings,
    parsers: PageParser,
    fetcher: PageFetcher,
    components: CrawlComponents,
    host_slots: HostSlots,
    now: Callable[[], float],
) -> AsyncIterator[PageParser]:
    # Imported here because most crawls do not render.
    from hinterland.crawler.features.rendering.browser.browser import Browser
    from hinterland.crawler.features.rendering.browser.chromium import find_chromium, may_be_sandboxed
    from hinterland.crawler.features.rendering.browser.rendering_parsers import RenderingParsers
    from hinterland.crawler.features.rendering.browser.subrequests import Manners, Subrequests
    from hinterland.crawler.features.rendering.messages import RenderConfig

    rendering = settings.rendering
    manners = Manners(
        delay_seconds=settings.politeness.delay_seconds,
        max_crawl_delay_seconds=settings.robots.max_crawl_delay_seconds,
    )
    config = RenderConfig(
        folder="",
        browser=await asyncio.to_thread(find_chromium, rendering.browser),
        agent=user_agent(settings.identity),
        timeout_seconds=rendering.timeout_seconds,
        quiet_seconds=rendering.quiet_seconds,
        max_bytes=settings.fetching.max_body_bytes,
        max_received_bytes=MAX_RECEIVED_BYTES,
        max_memory_bytes=_MAX_MEMORY_BYTES,
        is_sandboxed=may_be_sandboxed(rendering.sandbox),
    )
    subrequests = Subrequests(
        fetcher, _CrawlHosts(host_slots, components), manners, settings.fetching.max_body_bytes, now
    )
    browsers = [Browser(config, subrequests) for _ in range(rendering.browsers)]
    async with RenderingParsers(parsers, browsers, rendering) as parses:
        yield parses
