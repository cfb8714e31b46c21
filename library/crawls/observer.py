"""The protocol by which a crawl reports what it does. A front end shows or logs the reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.library.crawls.progress import CrawlProgress


class CrawlObserver(Protocol):
    """Receives reports on one crawl."""

    interval_seconds: float
    """Seconds between two calls of `progress`."""

    def note(self, text: str) -> None:
        """Receive a sentence that says what is being done."""

    def warn(self, text: str) -> None:
        """Receive a sentence that the user should know or act upon."""

    def progress(self, progress: CrawlProgress) -> None:
        """Receive the present state of the crawl."""

    def phase(self, phase: ProgressStep) -> None:
        """Receive the progress of a long step before or after the crawl."""

    def close(self) -> None:
        """Clear the display of progress. No more progress is reported afterwards, but notes and warnings may be."""


_PATIENCE_SECONDS = 1.0


class PhaseTeller:
    """Reports phases that last longer than a second to an observer, as often as it shows progress.

    Mutable: it holds the last phase and when the next report is due.
    """

    def __init__(self, observer: CrawlObserver, clock: Callable[[], float]) -> None:
        """Start without a phase; `clock` returns seconds from any origin."""
        self._observer = observer
        self._clock = clock
        self._doing = ""
        self._due = 0.0

    def __call__(self, phase: ProgressStep) -> None:
        """Report a phase to the observer if a report is due."""
        now = self._clock()
        if phase.doing != self._doing:
            self._doing, self._due = phase.doing, now + _PATIENCE_SECONDS
        elif now >= self._due:
            self._due = now + self._observer.interval_seconds
            self._observer.phase(phase)
