"""How a crawl stands, as values for its dashboard. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from crawler.apps.serving.plots import HEIGHT, WIDTH, LinePlot, decades, line_plot, log_plot, shares
from crawler.apps.text.status_text import head
from storage.values.history import Freshness
from storage.values.hosts import Host, HostsReport, SlowedReport
from storage.values.lists import Failure
from storage.values.pages import FailureReport, NamedPage, PageCounts
from storage.values.ranks import EstimateReport
from storage.values.runs import RunReport, RunState

_DAY = 86_400.0
_RECENT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """What the store says at about one moment. hosts_shown: those with most waiting, then with most visits; waiting: by
    host number; names: of the pages first in the frontier."""

    store: str
    size_bytes: int
    written_at: float
    holder: int | None
    runs: Sequence[RunReport]
    all_runs: int
    counts: PageCounts
    failures: Sequence[FailureReport]
    hosts: HostsReport
    hosts_shown: Sequence[Host]
    waiting: Mapping[int, int]
    estimates: Sequence[EstimateReport]
    names: Mapping[int, NamedPage]
    slowed: Sequence[SlowedReport]
    latest_failures: Sequence[Failure] = ()
    freshness: Freshness | None = None

    @property
    def run(self) -> RunReport | None:
        return self.runs[0] if self.runs else None

    @property
    def is_running(self) -> bool:
        return self.run is not None and self.run.state is RunState.RUNNING

    @property
    def progress(self) -> Mapping[str, Any]:
        """The counters last reported by the last run; empty if it had no time for that."""
        return self.run.progress if self.run is not None else {}

    def sentences(self, now: float) -> list[str]:
        """The words of the command status."""
        store = (self.store, self.size_bytes, self.written_at, self.runs, self.holder)
        return head(*store, now, self.freshness).splitlines()


@dataclass(frozen=True, slots=True)
class Rates:
    """The course of a run. points: (seconds, pages, bytes a second), each of the time since the one before; *_now: of
    the last ten seconds of the run. counted: "pages" by the second, or "visits", where pages are looked at again, which
    is by the day under a budget: per is its name, and per_seconds its length."""

    points: Sequence[tuple[float, float, float]]
    pages_now: float
    bytes_now: float
    pages: LinePlot | None
    received: LinePlot | None
    counted: str = "pages"
    per: str = "second"
    per_seconds: float = 1.0


def rates_of(progress: Mapping[str, Any]) -> Rates | None:
    """None if the run is too young, or was made by a version that kept no course."""
    course, revisits = progress.get("course") or [], progress.get("revisits")
    counted, column = ("visits", 2) if revisits else ("pages", 1)
    per, unit = ("day", _DAY) if revisits and revisits.get("outlook") else ("second", 1.0)
    points = [
        (float(later[0]), unit * (later[column] - earlier[column]) / span, (later[3] - earlier[3]) / span)
        for earlier, later in pairwise(course)
        if (span := later[0] - earlier[0]) > 0
    ]
    if not points:
        return None
    last = course[-1]
    since = next((point for point in reversed(course) if point[0] <= last[0] - _RECENT_SECONDS), course[0])
    span = (last[0] - since[0]) or 1.0
    seconds = [each[0] for each in points]
    return Rates(
        points,
        unit * (last[column] - since[column]) / span,
        (last[3] - since[3]) / span,
        line_plot(seconds, [each[1] for each in points]),
        line_plot(seconds, [each[2] for each in points]),
        counted,
        per,
        unit,
    )


def seconds_left(report: CrawlReport, rates: Rates | None) -> float | None:
    """Until all that waits now is fetched, if nothing more is found: at the rate of the last seconds, but no sooner
    than the host with the longest queue allows by its rests; or until the budget is spent, if that comes first. What
    waits for hosts that are given up is not waited for. None if no crawl runs or nobody can tell."""
    frontier = report.progress.get("frontier", {})
    waiting = frontier.get("waiting", 0) - frontier.get("stranded", 0)
    if not report.is_running or rates is None or rates.pages_now <= 0 or waiting <= 0:
        return None
    a_page = rates.per_seconds / rates.pages_now
    queues = [
        report.waiting.get(host.number, 0) * host.rest_seconds for host in report.hosts_shown if not host.is_given_up
    ]
    return float(min([max(waiting * a_page, *queues, 0.0), *(left * a_page for left in _budgets(report.progress))]))


def _budgets(progress: Mapping[str, Any]) -> Iterator[int]:
    """Pages that the crawl may still fetch, by each budget that it has."""
    if progress.get("max_pages") is not None:
        yield max(progress["max_pages"] - progress["fetched_before"] - progress["pages_fetched"], 0)
    hinterland = progress.get("hinterland")
    if hinterland and hinterland["phase"] == "hinterland":
        yield max(hinterland["budget"] - hinterland["pages_fetched"], 0)


@dataclass(frozen=True, slots=True)
class Settling:
    """change, disagreement: lines over the refreshes, on a logarithmic axis from bottom to top; "" with nothing to
    draw."""

    change: str
    disagreement: str
    bottom: float
    top: float


def settling(estimates: Sequence[EstimateReport]) -> Settling | None:
    """None until two refreshes can be compared with the ones before them."""
    changes = [(i, each.change) for i, each in enumerate(estimates) if each.change is not None]
    others = [(i, each.disagreement) for i, each in enumerate(estimates) if each.disagreement is not None]
    if len(changes) < 2:
        return None
    bottom, top = decades([value for _, value in (*changes, *others)])

    def line(points: Sequence[tuple[int, float]]) -> str:
        if len(points) < 2:
            return ""
        return log_plot([float(i) for i, _ in points], [value for _, value in points], bottom, top)

    return Settling(line(changes), line(others), bottom, top)


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """A column of a histogram: x, y, width, height in units of the drawing."""

    x: float
    y: float
    width: float
    height: float
    low: float
    high: float
    pages: int


def score_bars(bins: Sequence[tuple[float, float, int]]) -> list[ScoreBar]:
    """Columns as high as their pages, those with few pages high enough to be seen."""
    if not bins:
        return []
    width = WIDTH / len(bins)
    bars = []
    for place, ((low, high, pages), share) in enumerate(zip(bins, shares([each[2] for each in bins]), strict=True)):
        height = round(max(HEIGHT * share / 100, 2.0), 1) if pages else 0.0
        x = round(place * width + 1, 1)
        bars.append(ScoreBar(x, round(HEIGHT - height, 1), round(width - 2, 1), height, low, high, pages))
    return bars
