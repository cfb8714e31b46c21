"""A crawl that is under way, as its observer sees it, and as whoever stops it finds it."""

from __future__ import annotations

import asyncio
import time

from hinterland.crawler.loop.decisions.phases import Phase
from hinterland.library.crawls.interruption import Interruption, Stoppable
from hinterland.library.crawls.observer import CrawlObserver, PhaseTeller
from hinterland.library.crawls.progress import CrawlProgress, RateMeter


class CrawlWatch:
    """Tells an observer of one crawl, and hands the crawl to the interruption that may stop it.

    Mutable: the crawl, None until it has begun, and its pace.
    """

    def __init__(self, observer: CrawlObserver, interruption: Interruption) -> None:
        self.observer = observer
        self.interruption = interruption
        self._pace = RateMeter()
        self._phases = PhaseTeller(observer, time.monotonic)

    @property
    def has_begun(self) -> bool:
        return self.interruption.crawl is not None

    def progress(self) -> CrawlProgress | None:
        """How far the crawl is; None if it has not begun."""
        crawl = self.interruption.crawl
        return None if crawl is None else self._pace.progress(crawl.statistics())

    def told(self, phase: Phase) -> None:
        """Pass on how far a step before or after the crawl is."""
        self.interruption.reached(phase)
        self._phases(phase)

    async def show(self, crawl: Stoppable) -> None:
        """Tell of its progress until the task is cancelled."""
        self.interruption.crawl = crawl
        try:
            while True:
                await asyncio.sleep(self.observer.interval_seconds)
                self.observer.progress(self._pace.progress(crawl.statistics()))
        finally:
            self.observer.close()
