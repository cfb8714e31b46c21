"""What a crawl tells while it is prepared and runs, as values and sentences; a front end shows or logs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hinterland.crawler.loop.decisions.phases import Phase
from hinterland.library.crawls.progress import CrawlProgress


class CrawlObserver(Protocol):
    """Is told how one crawl goes."""

    interval_seconds: float
    """How often `progress` is to be called."""

    def note(self, text: str) -> None:
        """Hear what is being done."""

    def warn(self, text: str) -> None:
        """Hear what the user should know or correct."""

    def progress(self, progress: CrawlProgress) -> None:
        """Take the state of the crawl."""

    def phase(self, phase: Phase) -> None:
        """Hear how far a lengthy step before or after the crawl is."""

    def close(self) -> None:
        """Clear what shows the progress, which ends here; more notes and warnings may follow."""


_PATIENCE_SECONDS = 1.0


class PhaseTeller:
    """Passes phases on to an observer: those that last longer than a second, and no more often than it shows progress.

    Mutable: the last phase, and when the next call is due. clock: seconds, from any origin.
    """

    def __init__(self, observer: CrawlObserver, clock: Callable[[], float]) -> None:
        self._observer = observer
        self._clock = clock
        self._doing = ""
        self._due = 0.0

    def __call__(self, phase: Phase) -> None:
        now = self._clock()
        if phase.doing != self._doing:
            self._doing, self._due = phase.doing, now + _PATIENCE_SECONDS
        elif now >= self._due:
            self._due = now + self._observer.interval_seconds
            self._observer.phase(phase)
