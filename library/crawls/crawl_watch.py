"""Connects a running crawl to its observer, and to the object through which signals may stop it."""

from __future__ import annotations

import asyncio
import time

from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.library.crawls.interruption import Interruption, Stoppable
from hinterland.library.crawls.observer import CrawlObserver, PhaseTeller
from hinterland.library.crawls.progress import CrawlProgress, RateMeter


class CrawlWatch:
    """Reports the progress of one crawl to an observer, and gives the crawl to the interruption that may stop it.

    Mutable: holds the crawl (None until it has begun) and the counters from which rates are computed.
    """

    def __init__(self, observer: CrawlObserver, interruption: Interruption) -> None:
        """Start without a crawl."""
        self.observer = observer
        self.interruption = interruption
        self._pace = RateMeter()
        self._phases = PhaseTeller(observer, time.monotonic)

    @property
    def has_begun(self) -> bool:
        """Whether the crawl has begun."""
        return self.interruption.crawl is not None

    def progress(self) -> CrawlProgress | None:
        """Return how far the crawl has got; None if it has not begun."""
        crawl = self.interruption.crawl
        return None if crawl is None else self._pace.progress(crawl.statistics())

    def told(self, phase: ProgressStep) -> None:
        """Report to the observer how far a step of the preparation has got."""
        self._phases(phase)

    async def show(self, crawl: Stoppable) -> None:
        """Report the progress of the crawl until the task is cancelled."""
        self.interruption.crawl = crawl
        try:
            while True:
                await asyncio.sleep(self.observer.interval_seconds)
                self.observer.progress(self._pace.progress(crawl.statistics()))
        finally:
            self.observer.close()
