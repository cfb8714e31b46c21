"""Chooses how a crawl is shown: live on a terminal, as plain lines, or as JSON."""

from __future__ import annotations

import sys
from typing import Protocol

from hinterland.cli.crawl.lines import JsonLines, PlainLines
from hinterland.cli.output import Output, is_live
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.observer import CrawlObserver


class Display(CrawlObserver, Protocol):
    """Shows one crawl. If the reader of the display goes away, the crawl continues."""

    def ended(self, ending: Ending) -> None:
        """Show how the crawl ended. It is called last, and only if the crawl began."""


def choose_display(store: str, interval_seconds: float, log_json: bool = False) -> Display:
    """Return the display that suits the options and the terminal.

    `interval_seconds` is the time between two reports, except on a terminal.
    """
    result = Output(sys.stdout)
    if log_json:
        return JsonLines(result, interval_seconds)
    if is_live(sys.stderr):
        from hinterland.cli.crawl.live_display import LiveDisplay

        return LiveDisplay(sys.stderr, result, store)
    return PlainLines(Output(sys.stderr), result, interval_seconds)
