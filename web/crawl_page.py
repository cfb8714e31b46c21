"""The dashboard of a crawl. Server-sent events keep it up to date; without them, it is still complete."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import TypeVar

from aiohttp import web

from hinterland.library.patient_reading import TookTooLong
from hinterland.library.text.gates_text import gate_lines
from hinterland.library.text.shards_text import RUN_WORDS, SHARD_STATES
from hinterland.library.text.slowed_text import REASONS
from hinterland.library.text.status_text import STATE_MEANINGS
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import Host, HostsReport
from hinterland.storage.values.pages import PAGE_STATES, NamedPage
from hinterland.storage.values.runs import RunReport
from hinterland.web import parameters
from hinterland.web.answer_cache import AnswerPending
from hinterland.web.charts import some
from hinterland.web.crawl_report import CrawlReport, convergence_plot, rates_of, score_bars, seconds_left
from hinterland.web.crawl_shards import reports_of
from hinterland.web.live import LiveUpdates, TooManyListeners
from hinterland.web.plots import shares
from hinterland.web.site import SITE, Site
from hinterland.web.store_queries import Overloaded, Question

T = TypeVar("T")

SECTIONS = ("shards", "summary", "rates", "states", "estimate", "hosts", "errors", "frontier", "runs")
LIVE = web.AppKey("live", LiveUpdates)

_COUNT_SECONDS = 0.5
_FAILING = 10
_HOSTS = 12
_RUNS = 10
_LATEST = 10
_MOST_SECONDS = 3600
_FEW_BARS = 8

_Hosts = tuple[dict[int, int], HostsReport, list[Host]]
"""Waiting pages by host number, the report, and the hosts to show."""
_Quick = tuple[int, float, int | None, list[RunReport], RunReport | None, int, dict[int, NamedPage]]


async def gathered(site: Site) -> CrawlReport:
    """Gather the report of a crawl.

    Counts that take long may be old, since StoreQueries limits how often they are refreshed. A request waits for such a
    count only if it was never made before.
    """
    queries = site.queries

    async def soon(key: str, question: Question[T]) -> T:
        try:
            return await queries.ask_seldom(key, question, within=_COUNT_SECONDS, of_rows_alone=True)
        except AnswerPending:
            return await queries.ask_seldom(key, question, of_rows_alone=True)

    quick = await queries.ask_seldom("run", _run)  # first, as it raises NoStore
    size, written, holder, runs, visited, all_runs, names = quick
    counts, failures, latest, estimates, slowed, (waiting, hosts_report, hosts_shown) = await asyncio.gather(
        soon("counts", lambda store: store.pages.counts()),
        soon("failures", lambda store: store.pages.failures()),
        soon("latest failures", lambda store: store.lists.latest_failures(_LATEST)),
        soon("estimates", lambda store: store.ranks.estimates()),
        soon("slowed", lambda store: store.hosts.slowed()),
        soon("hosts", _hosts),
    )
    freshness = await soon("freshness", lambda store: store.history.freshness(time.time()))
    return CrawlReport(
        store=site.store,
        size_bytes=size,
        written_at=written,
        holder=holder,
        runs=runs,
        all_runs=all_runs,
        counts=counts,
        failures=failures,
        hosts=hosts_report,
        hosts_shown=hosts_shown,
        waiting=waiting,
        estimates=estimates,
        names=names,
        slowed=slowed,
        latest_failures=latest,
        freshness=freshness,
        visited=visited,
    )


def _hosts(store: StoreReader) -> _Hosts:
    waiting = store.hosts.waiting()
    numbers = sorted(waiting, key=lambda host: (-waiting[host], host))[:_HOSTS]
    shown = [host for number in numbers if (host := store.hosts.host(number)) is not None]
    seen = {host.number for host in shown}
    others = store.hosts.listed("pages", 0, _HOSTS, only_visited=True)
    shown += [host for host in others if host.number not in seen]
    return waiting, store.hosts.report(waiting, _FAILING), shown[:_HOSTS]


def _run(store: StoreReader) -> _Quick:
    runs = store.runs.newest(_RUNS)
    visited = store.runs.last_that_visited()
    tops = [run.progress.get("frontier_scores") or {"top": []} for run in (*runs[:1], visited) if run is not None]
    names = store.pages.named([page for scores in tops for page, _ in scores["top"]])
    return store.size_bytes(), store.last_written(), store.holder, runs, visited, store.runs.count(), names


async def _sections(site: Site, report: CrawlReport) -> dict[str, str]:
    """Return the HTML of each section by name."""
    shards = await reports_of(site.shards)
    readable = [each for _, each in shards if each is not None]
    progress = report.progress
    rates = rates_of(progress)
    scores = progress.get("frontier_scores")
    largest = shares([report.counts.of(state) for state in PAGE_STATES])
    values = {
        "report": report,
        "shards": [(shard.path == site.path, site.top + shard.path, shard.number, each) for shard, each in shards],
        "run_words": RUN_WORDS,
        "part_states": SHARD_STATES,
        "part_sums": [sum(each.counts.of(state) for each in readable) for state in SHARD_STATES],
        "part_bytes": sum(each.size_bytes for each in readable),
        "suspicions": REASONS,
        "gates": " ".join(gate_lines(report.failures, report.hosts)).strip(),
        "progress": progress,
        "now": site.now(),
        "rates": rates,
        "seconds_left": seconds_left(report, rates),
        "rate_rows": some(range(len(rates.points))) if rates else [],
        "states": PAGE_STATES,
        "meanings": STATE_MEANINGS,
        "state_bars": dict(zip(PAGE_STATES, largest, strict=True)),
        "convergence": convergence_plot(report.estimates),
        "estimate_rows": some(report.estimates),
        "scores": scores,
        "bars": score_bars(scores["bins"]) if scores else [],
        "is_by_depth": progress.get("policy") == "bfs",
        "are_alike": scores and len({urgency for _, urgency in scores["top"]}) == 1,
        "is_short": scores and len(scores["bins"]) <= _FEW_BARS and all(low == high for low, high, _ in scores["bins"]),
    }
    return {name: site.renderer.page(f"crawl/{name}.html", **values).strip() for name in SECTIONS}


async def show_crawl(request: web.Request) -> web.Response:
    """Show the dashboard."""
    site = request.app[SITE]
    every = parameters.number(request.query, "every", 0, highest=_MOST_SECONDS)
    report = await gathered(site)
    return site.page("crawl.html", report=report, sections=await _sections(site, report), every=every)


def live_updates(site: Site, interval_seconds: float) -> LiveUpdates:
    """Return the source of events for open dashboards."""

    async def look() -> Mapping[str, str]:
        try:
            report = await gathered(site)
        except (NoStore, TookTooLong, Overloaded) as error:
            return {"summary": site.renderer.page("crawl/unreadable.html", message=str(error))}
        return await _sections(site, report)

    return LiveUpdates(look, interval_seconds=interval_seconds)


async def crawl_events(request: web.Request) -> web.StreamResponse:
    """Send the events of the dashboard to one client."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise web.HTTPForbidden(text="events are only for pages of this server")
    try:
        return await request.app[LIVE].serve(request)
    except TooManyListeners:
        raise web.HTTPServiceUnavailable(text="too many dashboards are open", headers={"Retry-After": "30"}) from None
