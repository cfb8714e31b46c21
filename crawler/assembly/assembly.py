"""Puts a crawl together from a request and a store.

    CrawlRequest ──► CoreState ──► RestoredState ──► Features, CrawlComponents, CrawlIO ──► Assembled

Each step takes the results of the previous ones as arguments, so steps cannot run in the wrong order.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.assembly.crawl_features import access_of, factories_of, features_of
from hinterland.crawler.assembly.fetching import open_fetcher
from hinterland.crawler.assembly.process_limits import (
    allow_many_connections,
    collect_garbage_rarely,
    exempt_from_garbage_collection,
    most_requests,
)
from hinterland.crawler.assembly.restoring import RestoreOptions, restore
from hinterland.crawler.assembly.warm_up import warm_up_of
from hinterland.crawler.assembly.writing import writer_of
from hinterland.crawler.fetching.flow.flow import Flow
from hinterland.crawler.fetching.robots.robots_cache import RobotsCache, RobotsCacheLimits
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.network_watch import NetworkWatch
from hinterland.crawler.frontier.pages.depths import FollowedLinks, links_to_follow
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_urls import PageUrls
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.clock import SteadyClock
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.crawl_io import Clock, CrawlIO
from hinterland.crawler.loop.crawl_start import CoreState, CrawlRequest, CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.features import Features
from hinterland.crawler.loop.decisions.internal_errors import InternalErrors
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.crawler.loop.host_slots import HostSlots
from hinterland.crawler.loop.internal_error_log import ends_crawl, told_once
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.loop.workings import WrapsParsers
from hinterland.crawler.parsing.messages import ParserConfig
from hinterland.crawler.parsing.page_parser import PageParser
from hinterland.crawler.parsing.pool.config import parser_config, parser_processes
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import RobotsSettings, Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.url_names import UrlNames
from hinterland.storage.kept_bodies import KeptBodies
from hinterland.storage.link_store import LinkStore

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A crawl that is ready to be given its seeds (`crawl_state.seeded`) and then run.

    `seeds` are the seeds of the request and of its features. `now` is the crawl's clock, in epoch seconds.
    """

    crawl: Crawl
    crawl_state: CrawlState
    features: Features
    seeds: Sequence[str]
    now: Clock


class MakesParsers(Protocol):
    """A function that makes the pool of parser processes; tests pass a substitute."""

    def __call__(
        self, config: ParserConfig, *, processes: int, timeout_seconds: float, at_once: bool = True
    ) -> AbstractAsyncContextManager[PageParser]:
        """Return the pool, a context manager.

        If `at_once`, the pool starts its processes when it is entered, otherwise with the first page.
        """
        ...


@asynccontextmanager
async def assembled(
    request: CrawlRequest, store: LinkStore, told: Callable[[ProgressStep], None], pool: MakesParsers
) -> AsyncIterator[Assembled]:
    """Context manager: open everything that a crawl needs, and close it at the end.

    `told` is called with the progress of long steps.
    """
    now, factories = request.clock or SteadyClock(), factories_of(request)
    for factory in factories:
        request = await factory.prepare(request, store)
    request = replace(request, topic=request.topic or await store.ask(lambda stored: stored.topics.topic()))
    settings = request.settings
    collect_garbage_rarely()
    allow_many_connections()
    provider = access_of(request, factories)
    core = core_state(request, factories, _robots_cache(settings.robots, settings.identity.name, store))
    made = {each: early for each in factories if (early := each.make_restorable(request, core)) is not None}
    core = replace(core, features=list(made.values()))
    start = await restore(store, core, RestoreOptions.under(settings, request.retry_rules), now(), told)
    features = await features_of(factories, made, CrawlStart(request, store, core, now, provider))
    components = CrawlComponents(
        frontier=core.frontier,
        known=core.known,
        policy=core.policy,
        network=NetworkWatch(
            pause_seconds=settings.politeness.backoff_seconds,
            patience_seconds=settings.politeness.network_patience_seconds,
            heard=start.heard,
        ),
        robots=core.robots,
        urls=PageUrls(store.urls_of),
        canonicaliser=Canonicaliser.under(settings.urls),
        followers=[] if core.log is None else [core.log.append],
        retry_rules=request.retry_rules,
        features=features,
    )
    parsers = pool(
        parser_config(
            settings,
            page_readers=[order for factory in factories if (order := factory.page_reader(request, core)) is not None],
            rules=request.rules,
            hooks=request.hooks,
        ),
        processes=parser_processes(settings),
        timeout_seconds=settings.parsing.timeout_seconds,
        at_once=not features.mostly_revisits,  # unchanged pages need no parser
    )
    flow = Flow(min(settings.fetching.max_in_flight, most_requests()))
    async with (
        parsers as parses,
        open_fetcher(settings, request.warc, flow, now, provider) as fetches,
        AsyncExitStack() as stack,
    ):
        host_slots = HostSlots(components.frontier, now) if features.asks_beside else None
        for feature in features.all:
            if isinstance(feature, WrapsParsers) and host_slots is not None:
                wrapped = feature.wrapped(parses, fetches, components, host_slots, now)
                parses = await stack.enter_async_context(wrapped)
        io = CrawlIO(
            fetcher=fetches,
            parsers=parses,
            writer=writer_of(settings, store, core.known, features),
            now=now,
            flow=flow,
            bodies=_bodies(settings, store),
            host_slots=host_slots,
            ends_crawl=ends_crawl,
        )
        crawl_state = CrawlState(components, settings, start, now, InternalErrors(told_once()))
        store.on_lost_record = lambda lost, where: crawl_state.not_stored(lost.record, where, lost.error)

        async def followed_links() -> FollowedLinks:
            return links_to_follow(await store.state.outlinks(), settings.robots)

        crawl = Crawl(
            settings,
            components,
            io,
            crawl_state=crawl_state,
            max_pages=request.max_pages,
            log=core.log,
            followed_links=None if settings.scope.depth_limit is None else followed_links,
            preparation=Preparation(warm_up_of(settings, core, features)),
        )
        components.urls.stored(len(core.known))
        exempt_from_garbage_collection()
        yield Assembled(crawl, crawl_state, features, request.seeds, now)


def core_state(request: CrawlRequest, factories: Sequence[FeatureFactory], robots: RobotsCache) -> CoreState:
    """Return the empty state of a crawl, to be filled from a store or by the crawl."""
    settings = request.settings
    policy = make_policy(settings.policy.name, settings.policy.seed)
    options: dict[str, Any] = {
        "random": random.Random(settings.policy.seed ^ os.getpid()).random,
        "max_pages_per_host": settings.scope.pages_per_host_limit,
        "robots_retry_seconds": settings.robots.retry_seconds,
    }
    for factory in factories:
        options |= factory.frontier_options(request)
    frontiers = (factory.frontier(request, options) for factory in factories)
    own = next((frontier for frontier in frontiers if frontier is not None), None)
    scope, are_named = Scope(settings.scope), "time_slots" in options and policy.needs_refresh
    return CoreState(
        scope=scope,
        known=KnownPages(
            scope,
            max_depth=settings.scope.depth_limit,
            max_urls_per_host=settings.scope.urls_per_host_limit,
            names=UrlNames() if are_named else None,
        ),
        frontier=Frontier(settings.politeness, **options) if own is None else own,
        policy=policy,
        robots=robots,
        log=LinkLog() if policy.needs_refresh or any(each.needs_links(request) for each in factories) else None,
    )


def _robots_cache(settings: RobotsSettings, agent: str, store: LinkStore) -> RobotsCache:
    async def text_of(host: int) -> bytes | None:
        return await store.ask(lambda stored: stored.hosts.robots_text(host))

    return RobotsCache(agent, RobotsCacheLimits(settings.max_memory_mb * 1_000_000), read=text_of)


def _bodies(settings: Settings, store: LinkStore) -> KeptBodies:
    kept = settings.storage
    return KeptBodies(store.path, keeps_all=kept.keep_bodies, small_mb=kept.keep_bodies_mb, on_limit=_LOG.warning)
