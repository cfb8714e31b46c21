"""Has pages rendered that the settings want rendered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from crawler.decisions.parts import Parts
from crawler.pages.discoveries import Discoveries
from crawler.parsing.parses import Parses
from crawler.robots.rules import RobotsRules
from crawler.settings import Settings, user_agent
from crawler.settings.sections.rendering import NEVER
from crawler.visiting.loans import Loans
from crawler.visiting.shell import Fetches


def renders(settings: Settings) -> bool:
    return settings.rendering.pages != NEVER


def rendering(
    settings: Settings, parsers: Parses, fetcher: Fetches, parts: Parts, loans: Loans | None, now: Callable[[], float]
) -> AbstractAsyncContextManager[Parses]:
    """The parsers for a crawl under these settings, made of those that there are. Entered, raises BrowserUnusable.
    loans: if the settings want pages rendered."""
    return nullcontext(parsers) if loans is None else _rendering(settings, parsers, fetcher, parts, loans, now)


@asynccontextmanager
async def _rendering(
    settings: Settings, parsers: Parses, fetcher: Fetches, parts: Parts, loans: Loans, now: Callable[[], float]
) -> AsyncIterator[Parses]:
    # Not for crawls that do without.
    from crawler.rendering.browser.browser import Browser
    from crawler.rendering.browser.chromium import find_chromium, may_be_sandboxed
    from crawler.rendering.browser.rendering_parsers import RenderingParsers
    from crawler.rendering.browser.subrequests import Manners, Subrequests
    from crawler.rendering.messages import RenderConfig

    def rules_of(host: str) -> RobotsRules:
        return parts.robots.rules(parts.known.host_number(host, Discoveries()))  # its page is known, so it is

    rendering = settings.rendering
    manners = Manners(
        agent=settings.identity.name,
        delay_seconds=settings.politeness.delay_seconds,
        max_crawl_delay_seconds=settings.robots.max_crawl_delay_seconds,
        robots_bytes=settings.robots.max_bytes,
        robots_seconds=settings.robots.retry_seconds,
    )
    config = RenderConfig(
        folder="",
        browser=await asyncio.to_thread(find_chromium, rendering.browser),
        agent=user_agent(settings.identity),
        timeout_seconds=rendering.timeout_seconds,
        quiet_seconds=rendering.quiet_seconds,
        max_bytes=settings.fetching.max_body_bytes,
        max_received_bytes=rendering.max_received_mb * 1_000_000,
        max_memory_bytes=rendering.max_memory_mb << 20,
        is_sandboxed=may_be_sandboxed(rendering.sandbox),
    )
    subrequests = Subrequests(fetcher, rules_of, loans, manners, settings.fetching.max_body_bytes, now)
    browsers = [Browser(config, subrequests, rendering.restart_after_pages) for _ in range(rendering.browsers)]
    async with RenderingParsers(parsers, browsers, rendering) as parses:
        yield parses
