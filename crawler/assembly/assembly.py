"""Puts a crawl together from settings, seeds and a store.

    settings ──► Blank ──► Restored ──► Parts, Shell, Beside ──► Assembled

Each step takes the values of those before it, so none can come too early.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler import __version__
from hinterland.crawler.assembly.flow_observer import FlowObserver
from hinterland.crawler.assembly.parts_from_store import estimation_from, estimator_of, parts_from, restored_from
from hinterland.crawler.assembly.process_limits import (
    allow_many_connections,
    collect_garbage_rarely,
    exempt_from_garbage_collection,
    most_requests,
)
from hinterland.crawler.assembly.rehearsal import Needs
from hinterland.crawler.assembly.request import CrawlRequest
from hinterland.crawler.assembly.restoring import Blank
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.exchange import Exchange
from hinterland.crawler.features.exchange.exchanging import Exchanging, Membership
from hinterland.crawler.features.exchange.share import share_of
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.features.exchange.turns import Turns
from hinterland.crawler.features.extraction.vanished_fields import VanishedFields
from hinterland.crawler.features.live_walk.live_walk import LiveWalk
from hinterland.crawler.features.live_walk.on_demand import OnDemandFrontier
from hinterland.crawler.features.outside.hinterland import Hinterland
from hinterland.crawler.features.outside.outside_pages import OutsidePages
from hinterland.crawler.features.outside.rounds import Rounds
from hinterland.crawler.features.recrawl.pace import Pace
from hinterland.crawler.features.recrawl.paced_frontier import PacedFrontier
from hinterland.crawler.features.recrawl.revisiting import paced_frontier
from hinterland.crawler.features.rendering.for_crawl import rendering, renders
from hinterland.crawler.features.sitemaps.indexnow_inbox import Notices
from hinterland.crawler.features.sitemaps.outcomes import Sitemaps
from hinterland.crawler.features.soft_404.soft_404 import Soft404
from hinterland.crawler.features.topics.focus import Focus
from hinterland.crawler.features.topics.policies.reading_policy import ReadingPolicy
from hinterland.crawler.fetching.archiving.recorder import Recorder
from hinterland.crawler.fetching.archiving.recording import RecordingWire
from hinterland.crawler.fetching.archiving.recording_fetcher import RecordingFetcher
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.client.wire import ResponseWire
from hinterland.crawler.fetching.flow.flow import Flow
from hinterland.crawler.fetching.robots.book import BookBounds, RobotsBook
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.depths import FollowedLinks, links_to_follow
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.clock import SteadyClock
from hinterland.crawler.loop.crawl import Beside, Crawl
from hinterland.crawler.loop.decisions.first_failures import FirstFailures
from hinterland.crawler.loop.decisions.ledger import Ledger
from hinterland.crawler.loop.decisions.mishaps import Mishaps
from hinterland.crawler.loop.decisions.parts import Parts
from hinterland.crawler.loop.decisions.phases import Phase
from hinterland.crawler.loop.loans import Loans
from hinterland.crawler.loop.mishap_log import ends_crawl, told_once
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.loop.shell import Clock, Shell
from hinterland.crawler.parsing.messages import ParserConfig
from hinterland.crawler.parsing.parses import Parses
from hinterland.crawler.parsing.pool.config import parser_config, parser_processes
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import HinterlandBudget, RobotsSettings, Settings, user_agent
from hinterland.crawler.urls.url_names import UrlNames
from hinterland.storage.kept_bodies import KeptBodies
from hinterland.storage.link_store import LinkStore
from hinterland.storage.notices import NoticeFile
from hinterland.storage.record_writer import RecordWriter
from hinterland.storage.values.records import Record
from hinterland.storage.values.topics import TopicRecord

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A crawl that may be given its seeds (`ledger.seeded`), and then run. now: its clock, epoch seconds. notices: to
    be taken up beside it, if sitemaps are asked for. exchanging: with other parts of the crawl, to run beside it."""

    crawl: Crawl
    ledger: Ledger
    now: Clock
    notices: Notices | None
    exchanging: Exchanging | None = None


class MakesParsers(Protocol):
    """What makes the pool of parser processes, or stands in for it."""

    def __call__(
        self, config: ParserConfig, *, processes: int, timeout_seconds: float, at_once: bool = True
    ) -> AbstractAsyncContextManager[Parses]: ...


@asynccontextmanager
async def assembled(
    request: CrawlRequest, store: LinkStore, told: Callable[[Phase], None], pool: MakesParsers
) -> AsyncIterator[Assembled]:
    """All that a crawl needs, open as long as it runs."""
    settings, now, shard = request.settings, request.clock or SteadyClock(), request.shard
    if shard is not None:
        settings = share_of(settings, shard.mark.of, shard.processes)
        await store.own(shard.mark)
        request = replace(request, settings=settings)
    collect_garbage_rarely()
    allow_many_connections()
    topic = request.topic or await store.ask(lambda stored: stored.topics.topic())
    turns = None if shard is None or shard.mark.of == 1 else Turns(shard.mark.number, shard.mark.of)
    blank = _blank(settings, _robots_book(settings.robots, settings.identity.name, store), request, topic, turns)
    start = await restored_from(request, store, blank, now(), told)
    parts = await parts_from(request, store, blank, start, now)
    parsers = pool(
        _parser_config(request, topic, blank),
        processes=parser_processes(settings),
        timeout_seconds=settings.parsing.timeout_seconds,
        at_once=request.revisiting is None,  # else there may be nothing to read
    )
    recorder = None if request.warc is None else _recorder(request.warc, settings, now)
    wire = ResponseWire if recorder is None else RecordingWire
    flow = Flow(min(settings.fetching.max_in_flight, most_requests()))
    fetcher = Fetcher(settings.fetching, user_agent(settings.identity), now, wire, FlowObserver(flow, now))
    async with recorder or nullcontext(), parsers as parses, fetcher, AsyncExitStack() as stack:
        fetches = fetcher if recorder is None else _recording(fetcher, recorder, settings, now)
        hears = isinstance(parts.sitemaps, Sitemaps)
        lends = hears or renders(settings) or isinstance(parts.soft_404, Soft404)
        loans = Loans(parts.frontier, now) if lends else None
        renderer = loans if renders(settings) else None
        parses = await stack.enter_async_context(rendering(settings, parses, fetches, parts, renderer, now))
        writer, bodies = _writer(settings, store, blank.known), _bodies(settings, store)
        shell = Shell(fetches, parses, writer, now, flow, bodies, loans, ends_crawl)
        shared = _shared(shard, blank)
        preparation = Preparation(_needs(settings, blank))
        beside = await _beside(settings, store, blank, parts, shell, shared, preparation)
        ledger = Ledger(parts, settings, start, now, Mishaps(told_once()))
        store.told_of_lost = lambda lost, where: ledger.not_stored(lost.record, where, lost.error)
        crawl = Crawl(settings, parts, shell, ledger=ledger, max_pages=request.max_pages, beside=beside)
        parts.urls.stored(len(blank.known))
        exempt_from_garbage_collection()
        notices = _notices(store, blank, parts, shell, ledger, crawl) if hears else None
        exchanging = None
        if shard is not None and isinstance(parts.exchange, Exchange):
            exchanging = Exchanging(
                parts.exchange, shard.peers, store, ledger, shell, crawl, shared=shared, epoch=shard.mark.epoch
            )
        yield Assembled(crawl, ledger, now, notices, exchanging)


def _blank(
    settings: Settings, robots: RobotsBook, request: CrawlRequest, topic: TopicRecord | None, turns: Turns | None
) -> Blank:
    """All that waits to be filled, from a store or by the crawl."""
    walk, revisiting = request.walk, request.revisiting
    scope, limits = Scope(settings.scope), settings.scope
    policy = make_policy(settings.policy.name, settings.policy.seed)
    is_alone = walk is not None or HinterlandBudget.parse(settings.hinterland.budget).is_none
    hinterland = None if is_alone else Hinterland(settings.hinterland)
    budget = None if revisiting is None else revisiting.budget
    frontier = _frontier(settings, budget, is_on_demand=walk is not None, is_limited=revisiting is None, turns=turns)
    names = UrlNames() if turns is not None and policy.needs_refresh else None
    known = KnownPages(scope, max_depth=limits.depth_limit, max_urls_per_host=limits.urls_per_host_limit, names=names)
    return Blank(
        scope,
        known,
        frontier,
        policy,
        robots,
        LinkLog() if policy.needs_refresh or hinterland is not None or walk is not None else None,
        hinterland,
        None if topic is None else Focus(policy, known, topic.targets),
        Pace(frontier, budget) if isinstance(frontier, PacedFrontier) and budget is not None else None,
    )


def _robots_book(settings: RobotsSettings, agent: str, store: LinkStore) -> RobotsBook:
    async def text_of(host: int) -> bytes | None:
        return await store.ask(lambda stored: stored.hosts.robots_text(host))

    return RobotsBook(agent, settings.max_bytes, BookBounds(settings.max_memory_mb * 1_000_000), read=text_of)


def _frontier(
    settings: Settings, budget: float | None, *, is_on_demand: bool, is_limited: bool, turns: Turns | None
) -> Frontier:
    """budget: visits a second, to pages that are looked at again. is_limited: scope.max_pages_per_host holds, which
    counts visits."""
    options: dict[str, Any] = {
        "random": random.Random(settings.policy.seed ^ os.getpid()).random,
        "max_pages_per_host": settings.scope.pages_per_host_limit if is_limited else None,
        "robots_retry_seconds": settings.robots.retry_seconds,
        "turns": turns,
    }
    if budget is not None:
        return paced_frontier(budget, settings.revisits, settings.politeness, **options)
    return (OnDemandFrontier if is_on_demand else Frontier)(settings.politeness, **options)


def _bodies(settings: Settings, store: LinkStore) -> KeptBodies:
    kept = settings.storage
    return KeptBodies(store.path, keeps_all=kept.keep_bodies, small_mb=kept.keep_bodies_mb, told=_LOG.warning)


def _parser_config(request: CrawlRequest, topic: TopicRecord | None, blank: Blank) -> ParserConfig:
    if topic is None:
        return parser_config(request.settings, rules=request.rules, hooks=request.hooks)
    return parser_config(
        request.settings,
        topic=topic.model or b"",
        classifier=[topic.plug_in, *request.plugins] if topic.plug_in else [],
        reads_links=isinstance(blank.policy, ReadingPolicy),
        rules=request.rules,
        hooks=request.hooks,
    )


def _shared(shard: Membership | None, blank: Blank) -> SharedGraph | None:
    """If the pages of all shards are ranked together."""
    if shard is None or blank.log is None or not blank.known.has_names:
        return None
    mark = shard.mark
    return SharedGraph(Shards(mark.of), mark.number, blank.known, blank.log, blank.frontier, blank.policy)


def _notices(store: LinkStore, blank: Blank, parts: Parts, shell: Shell, ledger: Ledger, crawl: Crawl) -> Notices:
    async def last_looks(pages: Sequence[int]) -> Mapping[int, float]:
        return await store.ask(lambda stored: stored.history.last_looks(pages))

    return Notices(NoticeFile.of(store.path), parts, shell, ledger, blank.scope, last_looks, crawl.reconsider)


async def _beside(
    settings: Settings,
    store: LinkStore,
    blank: Blank,
    parts: Parts,
    shell: Shell,
    shared: SharedGraph | None,
    preparation: Preparation,
) -> Beside:
    async def followed_links() -> FollowedLinks:
        return links_to_follow(await store.outlinks(), settings.robots)

    rounds = None
    if isinstance(parts.outside, OutsidePages) and blank.log is not None:
        rounds = Rounds(
            parts.outside,
            await estimation_from(estimator_of(settings.hinterland), store),
            known=blank.known,
            policy=blank.policy,
            log=blank.log,
            writer=shell.writer,
            now=shell.now,
            preparation=preparation,
        )
    walk = parts.outside if isinstance(parts.outside, LiveWalk) else None
    depths = None if settings.scope.depth_limit is None else followed_links
    return Beside(blank.log, rounds, depths, walk, blank.pace, shared, preparation)


def _writer(settings: Settings, store: LinkStore, known: KnownPages) -> RecordWriter:
    those_that_may_wait = max(1, settings.fetching.max_in_flight * 2 // 3)  # for a transaction; the others go on
    return RecordWriter(
        store.write,
        told=_telling(store, known),
        commit_seconds=settings.storage.commit_seconds,
        max_batch=min(settings.storage.max_batch, those_that_may_wait),
        max_queued_bytes=settings.storage.max_queued_mb * 1_000_000,
    )


def _telling(store: LinkStore, known: KnownPages) -> Callable[[Sequence[Record]], Awaitable[None]]:
    """Tells whoever reads the log of the first failure of each kind among records that were written, and of rules that
    match no longer."""
    failures, fields = FirstFailures(), VanishedFields()

    async def tell(records: Sequence[Record]) -> None:
        for first in failures.among(records):
            url = known.host_urls[first.host]
            if first.page is not None:
                url = (await store.urls_of([first.page]))[first.page]
            _LOG.warning("%s: %s", url, first.reason)
        for vanished in fields.among(records):
            _LOG.warning("%s: %s", (await store.urls_of([vanished.page]))[vanished.page], vanished.reason)

    return tell


def _recorder(folder: Path, settings: Settings, now: Callable[[], float]) -> Recorder:
    fields = {
        "software": f"Hinterland/{__version__}",
        "format": "WARC File Format 1.1",
        "robots": "obey (RFC 9309)",
        "http-header-user-agent": user_agent(settings.identity),
        "operator": settings.identity.contact,
    }
    return Recorder(folder, fields, settings.storage.warc_file_mb * 1_000_000, now)


def _recording(fetcher: Fetcher, recorder: Recorder, settings: Settings, now: Callable[[], float]) -> RecordingFetcher:
    return RecordingFetcher(fetcher, recorder.record, now, dict(settings.fetching.headers))


def _needs(settings: Settings, blank: Blank) -> Needs:
    return Needs(
        policy=settings.policy.name if blank.policy.needs_refresh else "",
        estimator="" if blank.hinterland is None else estimator_of(settings.hinterland),
        shared="yes" if blank.known.has_names else "",
    )
