"""Adds up the counters of all shards for the whole crawl. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from hinterland.crawler.features.traps.statistics import TrapStatistics
from hinterland.crawler.fetching.flow.crawl_limits import summed as limits_together
from hinterland.crawler.frontier.visits import FrontierCounts
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics

_NOTHING = FrontierCounts(
    waiting=0,
    stranded=0,
    retrying=0,
    in_flight=0,
    hosts=0,
    hosts_ready=0,
    hosts_unnamed=0,
    hosts_resting=0,
    hosts_busy=0,
    hosts_given_up=0,
)
_COUNTED = (
    *("pages_fetched", "fetched_before", "pages_known", "pages_local", "visits", "retries", "robots_fetched"),
    *("wire_bytes", "body_bytes", "links", "bad_links", "refreshes", "refresh_seconds", "parser_restarts"),
    *("parser_backlog", "probes"),
)


def summed(each: Sequence[CrawlStatistics], max_pages: int | None) -> CrawlStatistics:
    """Return the statistics of the whole crawl.

    Pages that no shard fetches, mostly pages outside the scope, count once for each shard that knows them.
    """
    if not each:
        return replace(_EMPTY, max_pages=max_pages)
    counts: dict[str, Any] = {name: sum(getattr(one, name) for one in each) for name in _COUNTED}
    names = [field.name for field in fields(FrontierCounts)]
    frontier = FrontierCounts(*(sum(getattr(one.frontier, name) for one in each) for name in names))
    traps = [found for one in each if (found := one.of(TrapStatistics)) is not None]
    compiling = [one.compiling_seconds for one in each if one.compiling_seconds is not None]
    down = [one.network_down_seconds for one in each if one.network_down_seconds is not None]
    return replace(
        replace(each[0], **counts),
        seconds=max(one.seconds for one in each),
        max_pages=max_pages,
        frontier=frontier,
        features={**each[0].features, **({"traps": _traps(traps)} if traps else {})},
        network_down_seconds=max(down) if len(down) == len(each) else None,
        outcomes=_added([one.outcomes for one in each]),
        host_failures=_added([one.host_failures for one in each]),
        cut=_added([one.cut for one in each]),
        compiling_seconds=max(compiling, default=None),
        weather=limits_together([one.weather for one in each if one.weather is not None]),
    )


def at_rest(statistics: CrawlStatistics) -> CrawlStatistics:
    """Return the statistics of a shard that has ended: its counters remain, and nothing is in progress."""
    idle = dict.fromkeys(("in_flight", "hosts_ready", "hosts_unnamed", "hosts_resting", "hosts_busy"), 0)
    return replace(statistics, frontier=replace(statistics.frontier, **idle))


def _added(each: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for one in each:
        total.update(one)
    return dict(total.most_common())


def _traps(each: Sequence[TrapStatistics]) -> TrapStatistics:
    names = [field.name for field in fields(TrapStatistics)]
    return TrapStatistics(*(sum(getattr(one, name) for one in each) for name in names))


_EMPTY = CrawlStatistics(
    seconds=0.0,
    policy="",
    pages_fetched=0,
    fetched_before=0,
    max_pages=None,
    pages_known=0,
    pages_local=0,
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
    frontier=_NOTHING,
)
