"""Tells a display of what takes long, and of nothing that does not."""

from __future__ import annotations

from collections.abc import Callable

from crawler.apps.cli.display import Display
from crawler.engine.decisions.phases import Phase

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
