"""Cookie gates passed, as a feature of the crawl loop, in crawls that keep cookies."""

from __future__ import annotations

from collections.abc import Iterable

from hinterland.crawler.features.cookie_gates.cookie_gates import CookieGates
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, ReadPage
from hinterland.crawler.loop.workings import Workings


class PassesCookieGates(Feature):
    """led_on: see CookieGates."""

    def __init__(self, led_on: Iterable[int]) -> None:
        self._gates = CookieGates(led_on)

    def open(self, workings: Workings) -> None:
        self._workings = workings
        self._known = workings.components.known

    async def asks_again(self, read: ReadPage) -> bool:
        page = read.visit.page
        if self._gates.is_shut(page, read.verdict, read.answer, read.digest, is_revisit=read.is_revisit):
            return True
        if read.verdict.kind is OutcomeKind.REDIRECTED:
            # So that the redirect of a page that is opened again is written before.
            await self._workings.io.writer.submit()
        return False

    def visited(self, ended: Ended) -> None:
        """A page that has led on, and to which this redirect leads back with a cookie, waits again."""
        if ended.is_revisit or not ended.is_final:
            return
        self._gates.visited(ended.page, ended.visit.host, ended.verdict.kind, ended.answer)
        known, target, url = self._known, ended.outlinks.redirect_target, ended.verdict.target
        if target is None or url is None or not known.is_local(target):
            return
        if self._workings.components.features.adds_no_page(target) or not self._gates.opens(
            target, known.host_of(target)
        ):
            return
        self._workings.crawl_state.reopened(target, url, ended.discoveries)
