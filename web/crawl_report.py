"""The state of a crawl as values for its dashboard. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hinterland.library.text.status_text import head
from hinterland.library.text.wording import duration
from hinterland.storage.values.history import Freshness
from hinterland.storage.values.hosts import Host, HostsReport, SlowedReport
from hinterland.storage.values.lists import Failure
from hinterland.storage.values.pages import FailureReport, NamedPage, PageCounts
from hinterland.storage.values.ranks import EstimateReport
from hinterland.storage.values.runs import RunReport, RunState, state_of
from hinterland.storage.values.times import DAY
from hinterland.web.plots import HEIGHT, WIDTH, LinePlot, decades, log_plot, shares
from hinterland.web.rate_plots import RatePlot, rate_plot

_RECENT_SECONDS = 10.0
_PAGES, _VISITS, _BYTES, _ERRORS = 1, 2, 3, 4
"""Columns of the rate history of a run."""


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """The state of a store, whose parts were read shortly after one another.

    `hosts_shown` are the hosts with most waiting pages, followed by the hosts with most visits. `waiting` maps host
    numbers to numbers of waiting pages. `names` holds the URLs and titles of the first pages in the frontier, by page
    number. `visited` is the last run that visited a page.
    """

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
    visited: RunReport | None = None

    @property
    def run(self) -> RunReport | None:
        """The last run."""
        return self.runs[0] if self.runs else None

    @property
    def shown_run(self) -> RunReport | None:
        """The run to show: the last run, or an earlier one if the last run has ended without visiting a page."""
        run = self.run
        is_idle = run is not None and run.state is not RunState.RUNNING and not run.progress.get("visits")
        return self.visited if is_idle and self.visited is not None else run

    @property
    def is_starting(self) -> bool:
        """Whether a process holds the store but has not begun a run."""
        return state_of(self.runs, self.holder) is RunState.STARTING

    @property
    def is_running(self) -> bool:
        """Whether the last run is in progress."""
        return self.run is not None and self.run.state is RunState.RUNNING

    @property
    def progress(self) -> Mapping[str, Any]:
        """The last reported counters of the shown run; empty if the run reported none."""
        return self.shown_run.progress if self.shown_run is not None else {}

    def sentences(self, now: float) -> list[str]:
        """Return what the command `status` says about the shown run, as sentences.

        The first sentence is about the store.
        """
        run, shown = self.run, self.shown_run
        runs = self.runs if shown is run or shown is None else [shown]
        store = (self.store, self.size_bytes, self.written_at, runs, self.holder)
        lines = head(*store, now, self.freshness).splitlines()
        return lines if shown is run or run is None else [*lines, _idle(run)]


def _idle(run: RunReport) -> str:
    """Return a sentence about a run that ended without a visit."""
    end = "was killed" if run.state is RunState.KILLED else f"ended ({run.reason})"
    lasted = duration(run.updated_at - run.started_at)
    return f"A later run, {run.number}, {end} after {lasted} without visiting any page."


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of a run over time.

    `points` holds (seconds, pages per second, bytes per second); the rates are averages since the previous point.
    `pages_now` and `bytes_now` are the rates of the last ten seconds. `counted` is "pages", or "visits" if pages are
    revisited. Under a revisit budget the unit of time is a day: `per` is its name and `per_seconds` its length. `plots`
    holds everything that is drawn.
    """

    points: Sequence[tuple[float, float, float]]
    pages_now: float
    bytes_now: float
    pages: LinePlot | None
    received: LinePlot | None
    counted: str = "pages"
    per: str = "second"
    per_seconds: float = 1.0
    plots: Sequence[RatePlot] = ()


def rates_of(progress: Mapping[str, Any]) -> Rates | None:
    """Return the rates of a run.

    Returns None if the run is too young, or was made by an earlier version, which recorded no rates.
    """
    course, revisits = progress.get("course") or [], progress.get("revisits")
    counted, column = ("visits", _VISITS) if revisits else ("pages", _PAGES)
    per, unit = ("day", DAY) if revisits and revisits.get("outlook") else ("second", 1.0)
    errors = progress.get("course_of_errors") or []
    knows_errors = len(errors) == len(course)
    table = [(*point, count) for point, count in zip(course, errors, strict=True)] if knows_errors else course
    spans = [(earlier, later) for earlier, later in pairwise(table) if later[0] > earlier[0]]
    if not spans:
        return None
    last = table[-1]
    since = next((point for point in reversed(table) if point[0] <= last[0] - _RECENT_SECONDS), table[0])
    seconds = [float(later[0]) for _, later in spans]

    def rates(column: int, unit: float) -> tuple[list[float], float]:
        """Return the rate between each two neighbouring points, and the rate of the last seconds."""
        found = [unit * (later[column] - earlier[column]) / (later[0] - earlier[0]) for earlier, later in spans]
        return found, unit * (last[column] - since[column]) / ((last[0] - since[0]) or 1.0)

    def drawn(name: str, column: int, unit: float, *, is_bytes: bool = False) -> RatePlot:
        values, now = rates(column, unit)
        return rate_plot(name, seconds, values, now, is_bytes=is_bytes)

    main, received = drawn(f"{counted} a {per}", column, unit), drawn("received a second", _BYTES, 1.0, is_bytes=True)
    visits = [] if revisits else [drawn("visits a second", _VISITS, 1.0)]
    failed = [drawn(f"errors a {per}", _ERRORS, unit)] if knows_errors else []
    return Rates(
        points=list(zip(seconds, main.values, received.values, strict=True)),
        pages_now=main.now,
        bytes_now=received.now,
        pages=main.line,
        received=received.line,
        counted=counted,
        per=per,
        per_seconds=unit,
        plots=[main, *visits, *failed, received],
    )


def seconds_left(report: CrawlReport, rates: Rates | None) -> float | None:
    """Return the estimated time until all waiting pages are fetched, if no more pages are found.

    It is computed from the current rate. It is at least the sum of the rests of the host whose queue takes longest, and
    at most the time until the budget is used up. Pages of hosts that were given up do not count. Returns None if no
    crawl is running or the time is unknown.
    """
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
    """Yield the number of pages left in each budget of the crawl."""
    if progress.get("max_pages") is not None:
        yield max(progress["max_pages"] - progress["fetched_before"] - progress["pages_fetched"], 0)
    hinterland = progress.get("hinterland")
    if hinterland and hinterland["phase"] == "hinterland":
        yield max(hinterland["budget"] - hinterland["pages_fetched"], 0)


@dataclass(frozen=True, slots=True)
class ConvergencePlot:
    """The convergence of the estimate over its refreshes.

    `change` and `disagreement` are points of lines on a logarithmic axis from `bottom` to `top`; "" if there is nothing
    to draw.
    """

    change: str
    disagreement: str
    bottom: float
    top: float


def convergence_plot(estimates: Sequence[EstimateReport]) -> ConvergencePlot | None:
    """Return the plot; None unless at least two refreshes could be compared with the one before them."""
    changes = [(i, each.change) for i, each in enumerate(estimates) if each.change is not None]
    others = [(i, each.disagreement) for i, each in enumerate(estimates) if each.disagreement is not None]
    if len(changes) < 2:
        return None
    bottom, top = decades([value for _, value in (*changes, *others)])

    def line(points: Sequence[tuple[int, float]]) -> str:
        if len(points) < 2:
            return ""
        return log_plot([float(i) for i, _ in points], [value for _, value in points], bottom, top)

    return ConvergencePlot(line(changes), line(others), bottom, top)


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """A column of a histogram; x, y, width and height are in units of the drawing."""

    x: float
    y: float
    width: float
    height: float
    low: float
    high: float
    pages: int


def score_bars(bins: Sequence[tuple[float, float, int]]) -> list[ScoreBar]:
    """Return a column for each bin (from, to, pages), with a height in proportion to its pages.

    Small columns have a visible minimum height.
    """
    if not bins:
        return []
    width = WIDTH / len(bins)
    bars = []
    for place, ((low, high, pages), share) in enumerate(zip(bins, shares([each[2] for each in bins]), strict=True)):
        height = round(max(HEIGHT * share / 100, 2.0), 1) if pages else 0.0
        x = round(place * width + 1, 1)
        bars.append(
            ScoreBar(
                x=x,
                y=round(HEIGHT - height, 1),
                width=round(width - 2, 1),
                height=height,
                low=low,
                high=high,
                pages=pages,
            )
        )
    return bars
