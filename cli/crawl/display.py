"""How a crawl is shown: live on a terminal, as plain lines or as JSON."""

from __future__ import annotations

import sys
from typing import Protocol

from hinterland.cli.crawl.lines import JsonLines, PlainLines
from hinterland.cli.output import Output, is_live
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.observer import CrawlObserver


class Display(CrawlObserver, Protocol):
    """Shows one crawl. If its reader goes away the crawl goes on."""

    def ended(self, ending: Ending) -> None:
        """Say how the crawl ended; called last, and only if it began."""


def choose_display(store: str, interval_seconds: float, log_json: bool = False) -> Display:
    result = Output(sys.stdout)
    if log_json:
        return JsonLines(result, interval_seconds)
    if is_live(sys.stderr):
        from hinterland.cli.crawl.live_display import LiveDisplay

        return LiveDisplay(sys.stderr, result, store)
    return PlainLines(Output(sys.stderr), result, interval_seconds)
