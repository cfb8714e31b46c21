"""The feature of the crawl loop that passes cookie gates by keeping and sending the cookies of their sites."""

from __future__ import annotations

from collections.abc import Iterable

from hinterland.crawler.features.cookie_gates.cookie_gates import CookieGates
from hinterland.crawler.features.sessions.jars import CookieJars
from hinterland.crawler.features.sessions.settings import SessionSettings
from hinterland.crawler.fetching.access.target import target_of
from hinterland.crawler.loop.crawl_start import CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, ReadPage
from hinterland.crawler.loop.workings import Workings


class PassesCookieGates(Feature):
    """Requests pages again after their site has set its cookie."""

    def __init__(self, led_on: Iterable[int], jars: CookieJars, cut_off: Iterable[int] = ()) -> None:
        """Start a run; see CookieGates for `led_on` and `cut_off`. `jars` hold the cookies."""
        self._jars = jars
        self._gates = CookieGates(led_on, cut_off)

    def open(self, workings: Workings) -> None:
        """Keep the parts of the crawl that later calls use."""
        self._workings = workings
        self._known = workings.components.known

    async def asks_again(self, read: ReadPage) -> bool:
        """Return whether to request the page again because it was still behind its cookie gate."""
        page, origin = read.visit.page, _origin_of(read.url)
        has_moved = read.is_revisit and self._jars.is_open(origin)
        if self._gates.is_shut(page, read.visit.host, read.verdict, read.answer, read.digest, is_revisit=has_moved):
            self._jars.open(origin)
            return True
        if read.verdict.target is not None and self._jars.has_any(_origin_of(read.verdict.target)):
            # The redirect of a page must be in the store before the page is opened again.
            await self._workings.io.writer.submit()
        return False

    def visited(self, ended: Ended) -> None:
        """Queue the target of a redirect again if it redirected too when last visited, and a cookie was set since."""
        if ended.is_revisit or not ended.is_final:
            return
        self._gates.visited(ended.page, ended.visit.host, ended.verdict.kind, ended.answer)
        known, target, url = self._known, ended.outlinks.redirect_target, ended.verdict.target
        if target is None or url is None or not known.is_local(target):
            return
        if self._workings.components.features.adds_no_page(target) or not self._gates.opens(
            target, known.host_of(target), source=ended.page
        ):
            return
        self._jars.open(_origin_of(url))
        self._workings.crawl_state.reopened(target, url, ended.discoveries)


def _origin_of(url: str) -> str:
    target = target_of(url)
    return "" if target is None else target.origin


class CookieGatesFactory(FeatureFactory):
    """Adds the passage through cookie gates to crawls that have cookie jars."""

    async def make(self, start: CrawlStart) -> PassesCookieGates | None:
        """Return the feature, with the pages that were redirects in earlier runs."""
        jars = start.provider.find(CookieJars)
        if jars is None or not (start.settings.fetching.cookies or start.settings.of(SessionSettings).cookie_loops):
            return None
        cut_off = await start.store.ask(lambda stored: stored.pages.redirects_cut_off())
        if not start.settings.fetching.cookies:  # gates left half passed are too rare to read all redirects for them
            return PassesCookieGates((), jars, cut_off)
        led_on = await start.store.ask(lambda stored: stored.pages.redirected_pages())
        return PassesCookieGates(led_on, jars, cut_off)
