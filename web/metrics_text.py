"""The counters of a crawl in the text format of Prometheus. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric

from hinterland.library.text.limits_text import limits_of
from hinterland.web.crawl_report import CrawlReport
from hinterland.web.hostile_text import visible
from hinterland.web.limit_metrics import limit_metrics
from hinterland.web.metrics_table import RUN_COUNTERS, family

_FRONTIER = ("waiting", "stranded", "retrying", "in_flight")
_HOSTS = ("ready", "resting", "busy", "given_up")


class _Report:
    """A collector of prometheus_client that yields the metrics of one report."""

    def __init__(self, report: CrawlReport | None, now: float, listeners: int) -> None:
        """Take a report; None if the store cannot be read."""
        self._report = report
        self._now = now
        self._listeners = listeners

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        report = self._report
        yield family("store_up", report is not None)
        yield family("live_listeners", self._listeners)
        if report is None:
            return
        yield family("store_bytes", report.size_bytes)
        yield family("crawl_running", report.is_running)
        yield family("crawl_starting", report.is_starting)
        pages = family("pages")
        for scope, counts in (("local", report.counts.local), ("outside", report.counts.outside)):
            for state, count in counts.items():
                pages.add_metric((state, scope), count)
        yield pages
        failed = family("pages_failed")
        for each in report.failures:
            failed.add_metric((visible(each.outcome), "" if each.status is None else str(each.status)), each.pages)
        yield failed
        yield from self._of_run(report)
        if report.estimates:
            last = report.estimates[-1]
            yield family("estimates", len(report.estimates))
            if last.change is not None:
                yield family("estimate_change", last.change)
            if last.error is not None:
                yield family("estimate_error", last.error)
            if last.disagreement is not None:
                yield family("estimate_disagreement", last.disagreement)

    def _of_run(self, report: CrawlReport) -> Iterator[Metric]:
        run = report.run
        progress = run.progress if run is not None else {}
        if run is None or not progress:
            return
        yield family("run", run.number)
        yield family("run_age_seconds", self._now - run.updated_at)
        yield family("run_seconds", progress["seconds"])
        for name in RUN_COUNTERS:
            yield family(name, progress[name])
        outcomes = family("outcomes")
        for outcome, count in progress["outcomes"].items():
            outcomes.add_metric((visible(outcome),), count)
        yield outcomes
        frontier = progress["frontier"]
        for name in _FRONTIER:
            yield family(f"frontier_{name}", frontier[name])
        hosts = family("hosts")
        for state in _HOSTS:
            hosts.add_metric((state,), frontier[f"hosts_{state}"])
        yield hosts
        if (limits := limits_of(progress)) is not None:
            yield from limit_metrics(limits)


def metrics_text(report: CrawlReport | None, now: float, listeners: int) -> bytes:
    """Return the metrics as text; `report` is None if the store cannot be read."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Report(report, now, listeners))
    return generate_latest(registry)
