"""Counters of a crawl, for tests that only show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hinterland.crawler.assembly.crawl_features import STATISTICS_OF_FEATURES
from hinterland.crawler.frontier.visits import FrontierCounts
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics

FRONTIER = FrontierCounts(
    waiting=1000,
    stranded=0,
    retrying=0,
    in_flight=3,
    hosts=12,
    hosts_ready=1,
    hosts_unnamed=0,
    hosts_resting=2,
    hosts_busy=3,
    hosts_given_up=0,
)

_START = CrawlStatistics(
    seconds=0.0,
    policy="bfs",
    pages_fetched=0,
    fetched_before=0,
    max_pages=None,
    pages_known=1,
    pages_local=1,
    visits=0,
    outcomes={},
    retries=0,
    robots_fetched=0,
    host_failures={},
    wire_bytes=0,
    body_bytes=0,
    links=0,
    bad_links=0,
    refreshes=0,
    refresh_seconds=0.0,
    parser_restarts=0,
    parser_backlog=0,
    frontier=FRONTIER,
)


def statistics(seconds: float, pages: int, **others: Any) -> CrawlStatistics:
    """Return counters after this time and number of pages, each page a visit; counters of features go by name."""
    of_features: dict[str, Any] = {name: others.pop(name) for name in STATISTICS_OF_FEATURES if name in others}
    features: dict[str, Any] = {**dict.fromkeys(STATISTICS_OF_FEATURES), **of_features}
    return replace(_START, seconds=seconds, pages_fetched=pages, visits=pages, features=features, **others)
