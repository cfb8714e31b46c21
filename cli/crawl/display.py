"""How a crawl is shown: live on a terminal, as plain lines or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

from hinterland.cli.crawl.lines import JsonLines, PlainLines
from hinterland.cli.crawl.progress import Progress
from hinterland.cli.crawl.summary import Ending
from hinterland.cli.output import Output, is_live
from hinterland.crawler.loop.decisions.phases import Phase


class Display(Protocol):
    """Shows one crawl. If its reader goes away the crawl goes on."""

    interval_seconds: float
    """How often `progress` is to be called."""

    def note(self, text: str) -> None:
        """Say what is being done."""

    def warn(self, text: str) -> None:
        """Say what the user should know or correct."""

    def progress(self, progress: Progress) -> None:
        """Show the state of the crawl."""

    def phase(self, phase: Phase) -> None:
        """Show how far a lengthy step before or after the crawl is."""

    def close(self) -> None:
        """Clear the live display, if there is one; more notes and warnings may follow."""

    def ended(self, ending: Ending) -> None:
        """Say how the crawl ended; called last, and only if it began."""


_PATIENCE_SECONDS = 1.0


class PhaseTeller:
    """Passes phases on to a display: those that last longer than a second, and no more often than it shows progress.

    Mutable: the last phase, and when the next call is due. clock: seconds, from any origin.
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
        from hinterland.cli.crawl.live_display import LiveDisplay

        return LiveDisplay(sys.stderr, result, store)
    return PlainLines(Output(sys.stderr), result, interval_seconds)
