"""What bounds a crawl, for Prometheus. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.fetching.flow.weather import Weather

_NAMES: Final = ("found", "dead", "unanswered")


def weather_metrics(weather: Weather) -> Iterator[Metric]:
    bound = GaugeMetricFamily("hinterland_bound", "1 for what bounds the crawl now, else 0", labels=("by",))
    seconds = CounterMetricFamily(
        "hinterland_bound_seconds", "For how long each has bound the crawl, in the last run", labels=("by",)
    )
    for by in Bound:
        bound.add_metric((by.value,), by is weather.bound)
        seconds.add_metric((by.value,), weather.seconds.get(by.value, 0.0))
    yield bound
    yield seconds
    phases = GaugeMetricFamily("hinterland_requests", "Requests under way by what they wait for", labels=("phase",))
    for phase, count in asdict(weather.phases).items():
        phases.add_metric((phase,), count)
    yield phases
    yield GaugeMetricFamily("hinterland_request_places", "Requests that may be under way now", value=weather.places)
    yield GaugeMetricFamily(
        "hinterland_request_places_taken", "Of these places, those that are taken", value=weather.requests
    )
    yield GaugeMetricFamily(
        "hinterland_lookups_under_way", "Lookups of names under way", value=weather.lookups_under_way
    )
    if weather.lookups.seconds is not None:
        yield GaugeMetricFamily("hinterland_lookup_seconds", "That a lookup takes", value=weather.lookups.seconds)
    names = GaugeMetricFamily(
        "hinterland_names", "Names of hosts by what came of their last lookup, in the last run", labels=("state",)
    )
    for state in _NAMES:
        names.add_metric((state,), getattr(weather.lookups, state))
    yield names
    if weather.queueing_seconds is not None:
        yield GaugeMetricFamily(
            "hinterland_queueing_delay_seconds", "That packets wait in our link", value=weather.queueing_seconds
        )
    yield GaugeMetricFamily(
        "hinterland_event_loop_late_seconds", "By which the event loop is late", value=weather.late_seconds
    )
    yield CounterMetricFamily(
        "hinterland_closed_before",
        "Requests that met a connection which the server had just closed, in the last run",
        value=weather.closed_before,
    )
