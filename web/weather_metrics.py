"""Metrics of what limits a crawl, for Prometheus. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from prometheus_client.core import Metric

from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.fetching.flow.weather import Weather
from hinterland.web.metrics_table import family

_NAMES: Final = ("found", "dead", "unanswered")


def weather_metrics(weather: Weather) -> Iterator[Metric]:
    """Yield the metrics of what limits the crawl."""
    bound, seconds = family("bound"), family("bound_seconds")
    for by in Bound:
        bound.add_metric((by.value,), by is weather.bound)
        seconds.add_metric((by.value,), weather.seconds.get(by.value, 0.0))
    yield bound
    yield seconds
    phases = family("requests")
    for phase, count in asdict(weather.phases).items():
        phases.add_metric((phase,), count)
    yield phases
    yield family("request_places", weather.places)
    yield family("request_places_taken", weather.requests)
    yield family("lookups_under_way", weather.lookups_under_way)
    if weather.lookups.seconds is not None:
        yield family("lookup_seconds", weather.lookups.seconds)
    names = family("names")
    for state in _NAMES:
        names.add_metric((state,), getattr(weather.lookups, state))
    yield names
    if weather.queueing_seconds is not None:
        yield family("queueing_delay_seconds", weather.queueing_seconds)
    yield family("event_loop_late_seconds", weather.late_seconds)
    yield family("closed_before", weather.closed_before)
