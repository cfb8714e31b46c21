"""What a crawl is told and shown through: a terminal, plain lines or JSON."""

from __future__ import annotations

from typing import Protocol

from crawler.apps.cli.ending import Ending
from crawler.apps.cli.progress import Progress
from crawler.engine.decisions.phases import Phase


class Display(Protocol):
    """Shows one crawl. A reader who goes away is no error: the crawl matters more than its display."""

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
