"""Shows a crawl in lines: plain lines for logs and pipes, JSON for programs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from hinterland.cli.crawl.summary import summary
from hinterland.cli.output import Output
from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.topics.harvest import HarvestStatistics
from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.progress import CrawlProgress
from hinterland.library.text.limits_text import bound_line
from hinterland.library.text.wording import (
    compiling_line,
    counted,
    duration,
    harvest_line,
    hinterland_line,
    number,
    phase_line,
    rate,
    revisits_line,
    size,
)


class PlainLines:
    """A Display for logs and pipes. Progress goes to stderr, the summary to stdout."""

    def __init__(self, lines: Output, result: Output, interval_seconds: float) -> None:
        """Write progress to `lines` every `interval_seconds`, and the summary to `result`."""
        self._lines = lines
        self._result = result
        self.interval_seconds = interval_seconds

    def note(self, text: str) -> None:
        """Write a note."""
        self._lines.write(text)

    def warn(self, text: str) -> None:
        """Write a warning."""
        self._lines.write(f"warning: {text}")

    def progress(self, progress: CrawlProgress) -> None:
        """Write the state of the crawl on one line."""
        self._lines.write(progress_line(progress))

    def phase(self, phase: ProgressStep) -> None:
        """Write how far a long step has got."""
        self._lines.write(phase_line(phase))

    def close(self) -> None:
        """Do nothing: there is no display to clear."""

    def ended(self, ending: Ending) -> None:
        """Write the summary."""
        self._result.write(summary(ending))


def progress_line(progress: CrawlProgress) -> str:
    """Return the state of a crawl on one line."""
    return "; ".join(_parts(progress))


def _parts(progress: CrawlProgress) -> Iterator[str]:
    statistics, frontier = progress.statistics, progress.statistics.frontier
    budget = "" if statistics.max_pages is None else f" of {number(statistics.max_pages)}"
    yield (
        f"{duration(statistics.seconds)}: {number(progress.pages_in_store)}{budget} pages fetched,"
        f" {rate(progress.pages_per_second)}/s now, {rate(statistics.pages_per_second)}/s on average"
    )
    if statistics.network_down_seconds is not None:
        yield f"no host has been reachable for {duration(statistics.network_down_seconds)}: trying one now and then"
    if statistics.weather is not None and (
        statistics.network_down_seconds is None or statistics.weather.bound is Bound.NAME_SERVER
    ):
        bound = bound_line(statistics.weather)
        yield f"{bound[0].lower()}{bound[1:]}"
    yield f"{number(frontier.waiting)} waiting, {number(progress.under_way)} under way"
    yield (
        f"hosts {number(frontier.hosts_ready)} ready, {number(frontier.hosts_resting)} resting,"
        f" {number(frontier.hosts_busy)} busy, {number(frontier.hosts_given_up)} given up"
    )
    if statistics.compiling_seconds is not None:
        yield compiling_line(statistics.compiling_seconds).replace("; ", ": ")
    if (hinterland := statistics.of(HinterlandStatistics)) is not None:
        yield hinterland_line(hinterland)
    if (harvest := statistics.of(HarvestStatistics)) is not None:
        yield harvest_line(harvest)
    if (revisits := statistics.of(RevisitStatistics)) is not None:
        yield revisits_line(revisits)
    if progress.errors:
        kinds = ", ".join(f"{kind} {number(count)}" for kind, count in progress.errors.items())
        yield f"{counted(sum(progress.errors.values()), 'error')} ({kinds})"
    yield size(statistics.wire_bytes)
    if progress.remaining_seconds is not None:
        yield f"about {duration(progress.remaining_seconds)} left {progress.estimate} (estimate)"


class JsonLines:
    """A Display for programs: one object per line on stdout, each with "event" and "time" (seconds since the epoch).

    These are the events:

        "note", "warning"    with "message"
        "phase"              a long step before or after the crawl, with the counts "done" and "of" and their "unit"
        "progress"           with the counters
        "end"                with the reason, the exit code and the content of the store
        "error"              if the crawl did not begin or a bug ended it: "message" and "exit_code"; no "end" follows
    """

    def __init__(self, output: Output, interval_seconds: float) -> None:
        """Write events to `output`, and "progress" every `interval_seconds`."""
        self._output = output
        self.interval_seconds = interval_seconds

    def note(self, text: str) -> None:
        """Write the event "note"."""
        self._event("note", {"message": text})

    def warn(self, text: str) -> None:
        """Write the event "warning"."""
        self._event("warning", {"message": text})

    def progress(self, progress: CrawlProgress) -> None:
        """Write the event "progress"."""
        self._event("progress", progress.as_json())

    def phase(self, phase: ProgressStep) -> None:
        """Write the event "phase"."""
        self._event("phase", {"phase": phase.doing, "unit": phase.unit, "done": phase.done, "of": phase.of})

    def close(self) -> None:
        """Do nothing: there is no display to clear."""

    def ended(self, ending: Ending) -> None:
        """Write the event "end"."""
        self._event("end", ending.as_json())

    def failed(self, message: str, exit_code: int, traceback: str | None = None) -> None:
        """Write the event "error", which says why the crawl did not begin, or which bug ended it."""
        self._event("error", {"message": message, "exit_code": exit_code, "traceback": traceback})

    def _event(self, event: str, values: dict[str, Any]) -> None:
        line = {"event": event, "time": round(time.time(), 3)} | values
        self._output.write(json.dumps(line, ensure_ascii=False))
