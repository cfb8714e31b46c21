"""Metrics of what limits a crawl, for Prometheus. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.fetching.flow.weather import Weather

_NAMES: Final = ("found", "dead", "unanswered")


def weather_metrics(weather: Weather) -> Iterator[Metric]:
    """Yield the metrics of what limits the crawl."""
    bound = GaugeMetricFamily("hinterland_bound", "1 for what limits the crawl now, else 0", labels=("by",))
    seconds = CounterMetricFamily(
        "hinterland_bound_seconds", "Seconds for which each has limited the crawl in the last run", labels=("by",)
    )
    for by in Bound:
        bound.add_metric((by.value,), by is weather.bound)
        seconds.add_metric((by.value,), weather.seconds.get(by.value, 0.0))
    yield bound
    yield seconds
    phases = GaugeMetricFamily("hinterland_requests", "Requests in progress, by what they wait for", labels=("phase",))
    for phase, count in asdict(weather.phases).items():
        phases.add_metric((phase,), count)
    yield phases
    yield GaugeMetricFamily(
        "hinterland_request_places", "Maximum number of requests in progress now", value=weather.places
    )
    yield GaugeMetricFamily(
        "hinterland_request_places_taken", "Requests in progress that count towards the maximum", value=weather.requests
    )
    yield GaugeMetricFamily("hinterland_lookups_under_way", "Name lookups in progress", value=weather.lookups_under_way)
    if weather.lookups.seconds is not None:
        yield GaugeMetricFamily(
            "hinterland_lookup_seconds", "Seconds that a name lookup takes", value=weather.lookups.seconds
        )
    names = GaugeMetricFamily(
        "hinterland_names", "Host names by the result of their last lookup in the last run", labels=("state",)
    )
    for state in _NAMES:
        names.add_metric((state,), getattr(weather.lookups, state))
    yield names
    if weather.queueing_seconds is not None:
        yield GaugeMetricFamily(
            "hinterland_queueing_delay_seconds",
            "Seconds that packets queue in the local link",
            value=weather.queueing_seconds,
        )
    yield GaugeMetricFamily(
        "hinterland_event_loop_late_seconds", "Seconds by which the event loop is late", value=weather.late_seconds
    )
    yield CounterMetricFamily(
        "hinterland_closed_before",
        "Requests on connections that the server had just closed, in the last run",
        value=weather.closed_before,
    )
