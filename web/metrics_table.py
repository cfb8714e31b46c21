"""All metrics of `serve`: the name, meaning and labels of each. To add a metric, add an entry here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

PREFIX: Final = "hinterland_"


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """The meaning of a metric, and the names of its labels. In the output, the name of a counter ends with `_total`."""

    meaning: str
    labels: tuple[str, ...] = ()
    is_counter: bool = False


def _counter(meaning: str, *labels: str) -> MetricSpec:
    return MetricSpec(meaning, labels, is_counter=True)


RUN_COUNTERS: Final[Mapping[str, MetricSpec]] = {
    "visits": _counter("Completed page requests in the last run"),
    "pages_fetched": _counter("HTML pages fetched in the last run"),
    "retries": _counter("Visits to be retried in the last run"),
    "robots_fetched": _counter("robots.txt files fetched in the last run"),
    "wire_bytes": _counter("Bytes of bodies as received, before decompression, in the last run"),
    "body_bytes": _counter("Bytes of bodies after decompression in the last run"),
    "links": _counter("Links recorded in the last run"),
    "bad_links": _counter("Links without a usable URL in the last run"),
    "refreshes": _counter("Refreshes of the frontier's order in the last run"),
    "refresh_seconds": _counter("Seconds spent on refreshes, in parallel to the crawl, in the last run"),
    "parser_restarts": _counter("Parser processes replaced in the last run"),
}
"""Counters that a run reports under the same names."""

METRICS: Final[Mapping[str, MetricSpec]] = {
    "store_up": MetricSpec("Whether the store can be read"),
    "live_listeners": MetricSpec("Open dashboards"),
    "store_bytes": MetricSpec("Size of the store"),
    "crawl_running": MetricSpec("Whether a crawl is writing to the store"),
    "crawl_starting": MetricSpec("Whether a process holds the store but has not begun a run"),
    "pages": MetricSpec("Pages in the store by state", ("state", "scope")),
    "pages_failed": MetricSpec("Pages whose last visit failed or was refused", ("outcome", "status")),
    "run": MetricSpec("Number of the last run"),
    "run_age_seconds": MetricSpec("Seconds since the last run reported"),
    "run_seconds": MetricSpec("Duration of the last run in seconds"),
    **RUN_COUNTERS,
    "outcomes": _counter("Final visits in the last run by outcome", "outcome"),
    "frontier_waiting": MetricSpec("Waiting pages"),
    "frontier_stranded": MetricSpec("Waiting pages of hosts that were given up"),
    "frontier_retrying": MetricSpec("Pages waiting for a retry"),
    "frontier_in_flight": MetricSpec("Visits in progress"),
    "hosts": MetricSpec("Hosts by state", ("state",)),
    "bound": MetricSpec("1 for what limits the crawl now, else 0", ("by",)),
    "bound_seconds": _counter("Seconds for which each has limited the crawl in the last run", "by"),
    "requests": MetricSpec("Requests in progress, by what they wait for", ("phase",)),
    "request_places": MetricSpec("Maximum number of requests in progress now"),
    "request_places_taken": MetricSpec("Requests in progress that count towards the maximum"),
    "lookups_under_way": MetricSpec("Name lookups in progress"),
    "lookup_seconds": MetricSpec("Seconds that a name lookup takes"),
    "names": MetricSpec("Host names by the result of their last lookup in the last run", ("state",)),
    "queueing_delay_seconds": MetricSpec("Seconds that packets queue in the local link"),
    "event_loop_late_seconds": MetricSpec("Seconds by which the event loop is late"),
    "closed_before": _counter("Requests on connections that the server had just closed, in the last run"),
    "estimates": MetricSpec("Refreshes of the estimate"),
    "estimate_change": MetricSpec("L1 change at the last refresh"),
    "estimate_error": MetricSpec("Predicted L1 error of the estimate"),
    "estimate_disagreement": MetricSpec("L1 distance to the most distant other estimator"),
}


def family(name: str, value: float | None = None) -> CounterMetricFamily | GaugeMetricFamily:
    """Return a metric. If no value is given, call its `add_metric` for each combination of labels."""
    spec = METRICS[name]
    kind = CounterMetricFamily if spec.is_counter else GaugeMetricFamily
    return kind(PREFIX + name, spec.meaning, value=value, labels=spec.labels or None)
