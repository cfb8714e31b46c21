"""The live display on a terminal: a dozen lines that stay in place, on stderr. The summary goes to stdout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from rich.console import Group, RenderableType
from rich.text import Text

from hinterland.cli.crawl.summary import summary
from hinterland.cli.live_region import LiveRegion
from hinterland.cli.output import Output
from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.topics.harvest import HarvestStatistics
from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.progress import CrawlProgress
from hinterland.library.text.limits_text import bound_advice
from hinterland.library.text.wording import (
    compiling_line,
    duration,
    harvest_line,
    hinterland_line,
    number,
    phase_line,
    rate,
    revisits_line,
    size,
)

_HINT = "Ctrl-C finishes the visits in flight and stops; a second one stops at once"
_BAR_WIDTH = 40
_OTHER_OUTCOMES = {"redirected": "redirects", "other_type": "other", "robots": "refused by robots.txt"}


class LiveDisplay:
    """A Display for a terminal."""

    interval_seconds = 0.4

    def __init__(self, terminal: TextIO, result: Output, store: str) -> None:
        """Draw on `terminal`, and write the summary to `result`; `store` is the name to show."""
        self._region = LiveRegion(terminal)
        self._result = result
        self._store = store
        self._note = ""
        self._last: CrawlProgress | None = None

    def note(self, text: str) -> None:
        """Show a note under the figures, or print it if they are not shown yet."""
        self._note = text
        if not self._region.is_shown or self._last is None:
            self._region.print(Text(text, style="dim"))
        else:
            self.progress(self._last)

    def warn(self, text: str) -> None:
        """Print a warning above the figures."""
        self._region.print(Text.assemble(("warning: ", "bold yellow"), text))

    def progress(self, progress: CrawlProgress) -> None:
        """Draw the state of the crawl."""
        if self._last is None:
            self._note = ""
        self._last = progress
        self._region.show(panel(progress, self._store, self._note or _HINT))

    def phase(self, phase: ProgressStep) -> None:
        """Show how far a long step has got, in place of the figures."""
        self._region.show(Text(phase_line(phase), style="dim", no_wrap=True, overflow="ellipsis"))

    def close(self) -> None:
        """Erase the lines."""
        self._region.close()
        self._last = None

    def ended(self, ending: Ending) -> None:
        """Erase the lines and print the summary."""
        self.close()
        self._result.write(summary(ending))


def panel(progress: CrawlProgress, store: str, note: str) -> RenderableType:
    """Return the lines of the display. How many there are does not depend on the width of the terminal.

    No line is padded to that width: if the terminal were made narrower, every padded line would wrap.
    """
    lines = [
        Text.assemble((f"{label:11}", "dim"), value, no_wrap=True, overflow="ellipsis")
        for label, value in _rows(progress, store)
    ]
    return Group(*lines, Text(note, style="dim italic", no_wrap=True, overflow="ellipsis"))


def _rows(progress: CrawlProgress, store: str) -> Iterator[tuple[str, Text]]:
    statistics = progress.statistics
    head = f"{duration(statistics.seconds)}, order {statistics.policy}, into {store}"
    yield "Crawling", Text(head, style="bold")
    if statistics.max_pages is not None:
        yield "budget", _bar(progress.pages_in_store / statistics.max_pages)
    if (hinterland := statistics.of(HinterlandStatistics)) is not None:
        yield "hinterland", Text(hinterland_line(hinterland).partition(" ")[2])
    if (harvest := statistics.of(HarvestStatistics)) is not None:
        yield "harvest", Text(harvest_line(harvest).partition(" ")[2])
    if (revisits := statistics.of(RevisitStatistics)) is not None:
        yield "revisits", Text(revisits_line(revisits))
    yield "left", _time_left(progress)
    yield "pages/s", _pace(progress)
    yield "fetched", _fetched(progress)
    yield "now", _bound(progress)
    yield "waiting", _waiting(progress)
    yield "hosts", _hosts(progress)
    yield "errors", _errors(progress)
    received = f"{size(statistics.wire_bytes)}, {size(progress.bytes_per_second)}/s"
    yield "received", Text(f"{received}; {number(statistics.links)} links")
    if statistics.refreshes or statistics.compiling_seconds is not None:
        yield "refreshes", _refreshes(statistics)


def _refreshes(statistics: CrawlStatistics) -> Text:
    if statistics.compiling_seconds is not None:
        return Text(compiling_line(statistics.compiling_seconds), "yellow")
    return Text(f"{number(statistics.refreshes)} in {duration(statistics.refresh_seconds)}")


def _bar(share: float) -> Text:
    filled = round(min(share, 1.0) * _BAR_WIDTH)
    bar = ("━" * filled, "green"), ("━" * (_BAR_WIDTH - filled), "dim")
    return Text.assemble(*bar, f" {min(share, 1.0):.0%}")


def _time_left(progress: CrawlProgress) -> Text:
    if progress.remaining_seconds is None:
        return Text("not known yet")
    return Text(f"about {duration(progress.remaining_seconds)} {progress.estimate} (an estimate)")


def _pace(progress: CrawlProgress) -> Text:
    down = progress.statistics.network_down_seconds
    if down is not None:
        return Text(f"paused: no host has been reachable for {duration(down)}; trying one now and then", "yellow")
    average = f" now, {rate(progress.statistics.pages_per_second)} on average"
    return Text.assemble((rate(progress.pages_per_second), "bold green"), average)


def _fetched(progress: CrawlProgress) -> Text:
    statistics = progress.statistics
    budget = "" if statistics.max_pages is None else f" of {number(statistics.max_pages)}"
    parts = [f"{budget} pages"]
    parts += [
        f"{number(statistics.outcomes[kind])} {name}"
        for kind, name in _OTHER_OUTCOMES.items()
        if statistics.outcomes.get(kind)
    ]
    return Text.assemble((number(progress.pages_in_store), "bold"), ", ".join(parts))


def _bound(progress: CrawlProgress) -> Text:
    limits = progress.statistics.weather
    if limits is None:
        return Text("what limits the crawl is not known yet")
    style = "yellow" if limits.bound in (Bound.NAME_SERVER, Bound.NETWORK_DOWN) else ""
    return Text(bound_advice(limits), style)


def _waiting(progress: CrawlProgress) -> Text:
    statistics, frontier = progress.statistics, progress.statistics.frontier
    retrying = f", {number(frontier.retrying)} of them to retry" if frontier.retrying else ""
    parsing = f", {number(statistics.parser_backlog)} being parsed" if statistics.parser_backlog else ""
    return Text(f"{number(frontier.waiting)}{retrying}; {frontier.in_flight} in flight{parsing}")


def _hosts(progress: CrawlProgress) -> Text:
    frontier = progress.statistics.frontier
    given_up = f"{number(frontier.hosts_given_up)} given up"
    return Text.assemble(
        f"{number(frontier.hosts_ready)} ready, {number(frontier.hosts_resting)} resting,"
        f" {number(frontier.hosts_busy)} busy, ",
        (given_up, "yellow" if frontier.hosts_given_up else ""),
        f", {number(frontier.hosts)} known",
    )


def _errors(progress: CrawlProgress) -> Text:
    if not progress.errors:
        return Text("none")
    return Text(", ".join(f"{kind} {number(count)}" for kind, count in progress.errors.items()), style="yellow")
