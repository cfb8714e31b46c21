"""Puts a crawl together from settings, seeds and a store.

    settings ──► FreshState ──► RestoredState ──► Features, CrawlComponents, CrawlIO ──► Assembled

Each step takes the results of the previous ones as arguments, so steps cannot run in the wrong order.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Protocol

from hinterland.crawler.assembly.archiving import recorder_of, recording
from hinterland.crawler.assembly.components_from_store import components_of, restored_from
from hinterland.crawler.assembly.crawl_features import features_of, fresh_state
from hinterland.crawler.assembly.flow_observer import FlowObserver
from hinterland.crawler.assembly.process_limits import (
    allow_many_connections,
    collect_garbage_rarely,
    exempt_from_garbage_collection,
    most_requests,
)
from hinterland.crawler.assembly.request import CrawlRequest
from hinterland.crawler.assembly.restoring import CoreState
from hinterland.crawler.assembly.warm_up import CrawlWarmUp
from hinterland.crawler.assembly.writing import writer_of
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.share import share_of
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.features.exchange.url_exchange import UrlExchange
from hinterland.crawler.features.exchange.url_forwarding import Membership, UrlForwarder
from hinterland.crawler.features.outside.feature import estimator_of
from hinterland.crawler.features.rendering.for_crawl import rendering, renders
from hinterland.crawler.features.topics.policies.reading_policy import ReadingPolicy
from hinterland.crawler.features.topics.reading import TOPIC_READER
from hinterland.crawler.fetching.archiving.recording import RecordingWire
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.client.wire import ResponseWire
from hinterland.crawler.fetching.flow.flow import Flow
from hinterland.crawler.fetching.robots.robots_cache import RobotsCache, RobotsCacheLimits
from hinterland.crawler.frontier.pages.depths import FollowedLinks, links_to_follow
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.loop.clock import SteadyClock
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.crawl_io import Clock, CrawlIO
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.internal_errors import InternalErrors
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.crawler.loop.host_slots import HostSlots
from hinterland.crawler.loop.internal_error_log import ends_crawl, told_once
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.parsing.messages import ParserConfig
from hinterland.crawler.parsing.page_parser import PageParser
from hinterland.crawler.parsing.pool.config import parser_config, parser_processes
from hinterland.crawler.settings import RobotsSettings, Settings, user_agent
from hinterland.storage.kept_bodies import KeptBodies
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.topics import TopicRecord

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A crawl that is ready to be given its seeds (`crawl_state.seeded`) and then run.

    `now` is its clock, in epoch seconds. `forwarder`, if set, forwards URLs to the other shards and runs beside the
    crawl.
    """

    crawl: Crawl
    crawl_state: CrawlState
    now: Clock
    forwarder: UrlForwarder | None = None


class MakesParsers(Protocol):
    """Makes the pool of parser processes, or a test's substitute for it."""

    def __call__(
        self, config: ParserConfig, *, processes: int, timeout_seconds: float, at_once: bool = True
    ) -> AbstractAsyncContextManager[PageParser]:
        """Return the pool. When entered, it starts its processes, or does so with the first page if not `at_once`."""
        ...


@asynccontextmanager
async def assembled(
    request: CrawlRequest, store: LinkStore, told: Callable[[ProgressStep], None], pool: MakesParsers
) -> AsyncIterator[Assembled]:
    """Context manager: open everything that a crawl needs, and close it at the end."""
    settings, now, shard = request.settings, request.clock or SteadyClock(), request.shard
    if shard is not None:
        settings = share_of(settings, shard.mark.of, shard.processes)
        await store.own(shard.mark)
        request = replace(request, settings=settings)
    collect_garbage_rarely()
    allow_many_connections()
    topic = request.topic or await store.ask(lambda stored: stored.topics.topic())
    time_slots = None if shard is None or shard.mark.of == 1 else TimeSlots(shard.mark.number, shard.mark.of)
    fresh = fresh_state(
        settings, _robots_cache(settings.robots, settings.identity.name, store), request, topic, time_slots
    )
    start = await restored_from(request, store, fresh.core, now(), told)
    shared = _shared(shard, fresh.core)
    features = await features_of(request, store, fresh, shared, now)
    components = components_of(request, store, fresh.core, start, features)
    core = fresh.core
    parsers = pool(
        _parser_config(request, topic, core),
        processes=parser_processes(settings),
        timeout_seconds=settings.parsing.timeout_seconds,
        at_once=request.revisiting is None,  # else there may be nothing to read
    )
    recorder = None if request.warc is None else recorder_of(request.warc, settings, now)
    wire = ResponseWire if recorder is None else RecordingWire
    flow = Flow(min(settings.fetching.max_in_flight, most_requests()))
    fetcher = Fetcher(settings.fetching, user_agent(settings.identity), now, wire, FlowObserver(flow, now))
    async with recorder or nullcontext(), parsers as parses, fetcher, AsyncExitStack() as stack:
        fetches = fetcher if recorder is None else recording(fetcher, recorder, settings, now)
        needs_host_slots = renders(settings) or any(feature.asks_beside for feature in features.all)
        host_slots = HostSlots(components.frontier, now) if needs_host_slots else None
        renderer = host_slots if renders(settings) else None
        parses = await stack.enter_async_context(rendering(settings, parses, fetches, components, renderer, now))
        writer, bodies = writer_of(settings, store, core.known), _bodies(settings, store)
        io = CrawlIO(
            fetcher=fetches,
            parsers=parses,
            writer=writer,
            now=now,
            flow=flow,
            bodies=bodies,
            host_slots=host_slots,
            ends_crawl=ends_crawl,
        )
        crawl_state = CrawlState(components, settings, start, now, InternalErrors(told_once()))
        store.on_lost_record = lambda lost, where: crawl_state.not_stored(lost.record, where, lost.error)

        async def followed_links() -> FollowedLinks:
            return links_to_follow(await store.outlinks(), settings.robots)

        crawl = Crawl(
            settings,
            components,
            io,
            crawl_state=crawl_state,
            max_pages=request.max_pages,
            log=core.log,
            followed_links=None if settings.scope.depth_limit is None else followed_links,
            preparation=Preparation(_warm_up(settings, core, estimates=fresh.outside is not None)),
        )
        components.urls.stored(len(core.known))
        exempt_from_garbage_collection()
        forwarder = None
        if shard is not None:
            [exchange] = (feature for feature in features.all if isinstance(feature, UrlExchange))
            forwarder = UrlForwarder(
                exchange, shard.peers, store, crawl_state, io, crawl, shared=shared, epoch=shard.mark.epoch
            )
        yield Assembled(crawl, crawl_state, now, forwarder)


def _robots_cache(settings: RobotsSettings, agent: str, store: LinkStore) -> RobotsCache:
    async def text_of(host: int) -> bytes | None:
        return await store.ask(lambda stored: stored.hosts.robots_text(host))

    return RobotsCache(agent, RobotsCacheLimits(settings.max_memory_mb * 1_000_000), read=text_of)


def _bodies(settings: Settings, store: LinkStore) -> KeptBodies:
    kept = settings.storage
    return KeptBodies(store.path, keeps_all=kept.keep_bodies, small_mb=kept.keep_bodies_mb, on_limit=_LOG.warning)


def _parser_config(request: CrawlRequest, topic: TopicRecord | None, core: CoreState) -> ParserConfig:
    if topic is None:
        return parser_config(request.settings, rules=request.rules, hooks=request.hooks)
    reads_links = isinstance(core.policy, ReadingPolicy)
    return parser_config(
        request.settings,
        topic_reader=TOPIC_READER if topic.model or reads_links else "",
        topic=topic.model or b"",
        classifier=[topic.plug_in, *request.plugins] if topic.plug_in else [],
        reads_links=reads_links,
        rules=request.rules,
        hooks=request.hooks,
    )


def _shared(shard: Membership | None, core: CoreState) -> SharedGraph | None:
    """Return the graph shared between shards; None if the pages of the shards are not ranked together."""
    if shard is None or core.log is None or not core.known.has_names:
        return None
    mark = shard.mark
    return SharedGraph(Shards(mark.of), mark.number, core.known, core.log, core.frontier, core.policy)


def _warm_up(settings: Settings, core: CoreState, *, estimates: bool) -> CrawlWarmUp:
    return CrawlWarmUp(
        policy=settings.policy.name if core.policy.needs_refresh else "",
        estimator=estimator_of(settings.hinterland) if estimates else "",
        shared="yes" if core.known.has_names else "",
    )
