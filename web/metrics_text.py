"""The counters of a crawl in the text format of Prometheus. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from hinterland.library.text.weather_text import weather_of
from hinterland.web.crawl_report import CrawlReport
from hinterland.web.hostile_text import visible
from hinterland.web.weather_metrics import weather_metrics

_COUNTERS = {
    "visits": "Completed page requests in the last run",
    "pages_fetched": "HTML pages fetched in the last run",
    "retries": "Visits to be retried in the last run",
    "robots_fetched": "robots.txt files fetched in the last run",
    "wire_bytes": "Bytes of bodies as received, before decompression, in the last run",
    "body_bytes": "Bytes of bodies after decompression in the last run",
    "links": "Links recorded in the last run",
    "bad_links": "Links without a usable URL in the last run",
    "refreshes": "Refreshes of the frontier's order in the last run",
    "refresh_seconds": "Seconds spent on refreshes, in parallel to the crawl, in the last run",
    "parser_restarts": "Parser processes replaced in the last run",
}
_FRONTIER = {
    "waiting": "Waiting pages",
    "stranded": "Waiting pages of hosts that were given up",
    "retrying": "Pages waiting for a retry",
    "in_flight": "Visits in progress",
}
_HOSTS = ("ready", "resting", "busy", "given_up")


class _Report:
    """A collector of prometheus_client."""

    def __init__(self, report: CrawlReport | None, now: float, listeners: int) -> None:
        """Start with a report, None if the store cannot be read."""
        self._report = report
        self._now = now
        self._listeners = listeners

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        report = self._report
        yield GaugeMetricFamily("hinterland_store_up", "Whether the store can be read", value=report is not None)
        yield GaugeMetricFamily("hinterland_live_listeners", "Open dashboards", value=self._listeners)
        if report is None:
            return
        yield GaugeMetricFamily("hinterland_store_bytes", "Size of the store", value=report.size_bytes)
        yield GaugeMetricFamily(
            "hinterland_crawl_running", "Whether a crawl is writing to the store", value=report.is_running
        )
        yield GaugeMetricFamily(
            "hinterland_crawl_starting",
            "Whether a process holds the store but has not begun a run",
            value=report.is_starting,
        )
        pages = GaugeMetricFamily("hinterland_pages", "Pages in the store by state", labels=("state", "scope"))
        for scope, counts in (("local", report.counts.local), ("outside", report.counts.outside)):
            for state, count in counts.items():
                pages.add_metric((state, scope), count)
        yield pages
        failed = GaugeMetricFamily(
            "hinterland_pages_failed", "Pages whose last visit failed or was refused", labels=("outcome", "status")
        )
        for each in report.failures:
            failed.add_metric((visible(each.outcome), "" if each.status is None else str(each.status)), each.pages)
        yield failed
        yield from self._of_run(report)
        if report.estimates:
            last = report.estimates[-1]
            yield GaugeMetricFamily("hinterland_estimates", "Refreshes of the estimate", value=len(report.estimates))
            if last.change is not None:
                yield GaugeMetricFamily(
                    "hinterland_estimate_change", "L1 change at the last refresh", value=last.change
                )
            if last.error is not None:
                yield GaugeMetricFamily(
                    "hinterland_estimate_error", "Predicted L1 error of the estimate", value=last.error
                )
            if last.disagreement is not None:
                yield GaugeMetricFamily(
                    "hinterland_estimate_disagreement",
                    "L1 distance to the most distant other estimator",
                    value=last.disagreement,
                )

    def _of_run(self, report: CrawlReport) -> Iterator[Metric]:
        run = report.run
        progress = run.progress if run is not None else {}
        if run is None or not progress:
            return
        yield GaugeMetricFamily("hinterland_run", "Number of the last run", value=run.number)
        yield GaugeMetricFamily(
            "hinterland_run_age_seconds", "Seconds since the last run reported", value=self._now - run.updated_at
        )
        yield GaugeMetricFamily(
            "hinterland_run_seconds", "Duration of the last run in seconds", value=progress["seconds"]
        )
        for name, meaning in _COUNTERS.items():
            yield CounterMetricFamily(f"hinterland_{name}", meaning, value=progress[name])
        outcomes = CounterMetricFamily(
            "hinterland_outcomes", "Final visits in the last run by outcome", labels=("outcome",)
        )
        for outcome, count in progress["outcomes"].items():
            outcomes.add_metric((visible(outcome),), count)
        yield outcomes
        frontier = progress["frontier"]
        for name, meaning in _FRONTIER.items():
            yield GaugeMetricFamily(f"hinterland_frontier_{name}", meaning, value=frontier[name])
        hosts = GaugeMetricFamily("hinterland_hosts", "Hosts by state", labels=("state",))
        for state in _HOSTS:
            hosts.add_metric((state,), frontier[f"hosts_{state}"])
        yield hosts
        if (weather := weather_of(progress)) is not None:
            yield from weather_metrics(weather)


def metrics_text(report: CrawlReport | None, now: float, listeners: int) -> bytes:
    """Return the metrics as text; `report` is None if the store cannot be read."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Report(report, now, listeners))
    return generate_latest(registry)
