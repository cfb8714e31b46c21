"""Metrics for Prometheus that show what limits a crawl. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from prometheus_client.core import Metric

from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.fetching.flow.crawl_limits import CrawlLimits
from hinterland.web.metrics_table import family

_NAMES: Final = ("found", "dead", "unanswered")


def limit_metrics(limits: CrawlLimits) -> Iterator[Metric]:
    """Yield metrics that say what limits the crawl, such as the number of open requests or slow name lookups."""
    bound, seconds = family("bound"), family("bound_seconds")
    for by in Bound:
        bound.add_metric((by.value,), by is limits.bound)
        seconds.add_metric((by.value,), limits.seconds.get(by.value, 0.0))
    yield bound
    yield seconds
    phases = family("requests")
    for phase, count in asdict(limits.phases).items():
        phases.add_metric((phase,), count)
    yield phases
    yield family("request_places", limits.places)
    yield family("request_places_taken", limits.requests)
    yield family("lookups_under_way", limits.lookups_under_way)
    if limits.lookups.seconds is not None:
        yield family("lookup_seconds", limits.lookups.seconds)
    names = family("names")
    for state in _NAMES:
        names.add_metric((state,), getattr(limits.lookups, state))
    yield names
    if limits.queueing_seconds is not None:
        yield family("queueing_delay_seconds", limits.queueing_seconds)
    yield family("event_loop_late_seconds", limits.late_seconds)
    yield family("closed_before", limits.closed_before)
