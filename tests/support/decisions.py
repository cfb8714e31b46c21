"""The pure parts of a small crawl, for tests that need no event loop."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from hinterland.crawler.fetching.robots.robots_cache import RobotsCache
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.network_watch import NetworkWatch
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_urls import PageUrls
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from tests.support.crawling import quick_settings

NOW = 1_000_000.0


def settings_of_a_crawl() -> Settings:
    return quick_settings({})


def components_of_a_crawl() -> CrawlComponents:
    """Nothing is known yet; the order is breadth-first."""
    settings = settings_of_a_crawl()
    return CrawlComponents(
        frontier=Frontier(settings.politeness, random=lambda: 0.5),
        known=KnownPages(Scope(settings.scope), max_depth=None),
        policy=make_policy("bfs", 0),
        network=NetworkWatch(pause_seconds=1.0, patience_seconds=60.0),
        robots=RobotsCache("Hinterland"),
        urls=PageUrls(_nothing_is_stored),
        canonicaliser=Canonicaliser.under(settings.urls),
    )


async def _nothing_is_stored(pages: Sequence[int]) -> dict[int, str]:
    raise AssertionError(f"asked for {pages}")


def next_page(frontier: Frontier) -> Visit:
    """The next visit to a page, once addresses are found and no host has a robots.txt."""
    while True:
        visit = frontier.next_visit(NOW)
        assert isinstance(visit, Visit), visit
        if visit.host_task is None:
            return visit
        frontier.restore_robots(visit.host, inf, None)
        frontier.resolved(visit, None, NOW)
