"""What a crawl is told and shown through: a terminal, plain lines or JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

from crawler.apps.cli.crawl.lines import JsonLines, PlainLines
from crawler.apps.cli.crawl.progress import Progress
from crawler.apps.cli.crawl.summary import Ending
from crawler.apps.cli.output import Output, is_live
from crawler.engine.decisions.phases import Phase


class Display(Protocol):
    """Shows one crawl. If its reader goes away the crawl goes on."""

    interval_seconds: float
    """How often `progress` is to be called."""

    def note(self, text: str) -> None:
        """Say what is being done."""

    def warn(self, text: str) -> None:
        """Say what the user should know of or mend."""

    def progress(self, progress: Progress) -> None:
        """Show how the crawl stands."""

    def phase(self, phase: Phase) -> None:
        """Show how far something is that takes long before or after the crawl."""

    def close(self) -> None:
        """Leave the screen in order; more notes and warnings may follow."""

    def ended(self, ending: Ending) -> None:
        """Say how the crawl ended; called last, and only if it did begin."""


_PATIENCE_SECONDS = 1.0


class PhaseTeller:
    """Mutable: what was told last, and when. clock: seconds, of any beginning.

    What is over within a second is not told at all, and the rest not more often than the display's progress is.
    """

    def __init__(self, display: Display, clock: Callable[[], float]) -> None:
        self._display = display
        self._clock = clock
        self._doing = ""
        self._due = 0.0

    def __call__(self, phase: Phase) -> None:
        now = self._clock()
        if phase.doing != self._doing:
            self._doing, self._due = phase.doing, now + _PATIENCE_SECONDS
        elif now >= self._due:
            self._due = now + self._display.interval_seconds
            self._display.phase(phase)


def choose_display(store: str, interval_seconds: float, log_json: bool = False) -> Display:
    result = Output(sys.stdout)
    if log_json:
        return JsonLines(result, interval_seconds)
    if is_live(sys.stderr):
        from crawler.apps.cli.crawl.live_display import LiveDisplay

        return LiveDisplay(sys.stderr, result, store)
    return PlainLines(Output(sys.stderr), result, interval_seconds)
