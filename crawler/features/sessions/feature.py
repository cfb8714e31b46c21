"""The feature of the crawl loop that keeps sessions."""

from __future__ import annotations

from hinterland.crawler.features.sessions.jars import CookieJars
from hinterland.crawler.features.sessions.settings import SessionSettings
from hinterland.crawler.loop.crawl_start import CrawlRequest, FeatureFactory


class SessionsFactory(FeatureFactory):
    """Adds cookie jars to crawls that may need them."""

    def access(self, request: CrawlRequest) -> CookieJars | None:
        """Return the jars."""
        settings = request.settings
        if not (settings.fetching.cookies or settings.of(SessionSettings).cookie_loops):
            return None
        return CookieJars(keeps_all=settings.fetching.cookies)
