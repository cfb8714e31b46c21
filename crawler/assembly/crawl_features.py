"""Makes the features of a crawl from the request and the store. Only this file knows all features."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.assembly.request import ChooserStart, CrawlRequest
from hinterland.crawler.assembly.restoring import CoreState
from hinterland.crawler.features.cookie_gates.feature import PassesCookieGates
from hinterland.crawler.features.exchange.feature import exchange_of
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.features.extraction.feature import Extraction
from hinterland.crawler.features.kept_headers.feature import KeptHeaders
from hinterland.crawler.features.outside.feature import OutsideSampling
from hinterland.crawler.features.recrawl.feature import Recrawl, keep_revisiting, revisit_once
from hinterland.crawler.features.recrawl.paced_frontier import PacedFrontier
from hinterland.crawler.features.recrawl.revisit_planner import RevisitPlanner
from hinterland.crawler.features.recrawl.revisiting import paced_frontier
from hinterland.crawler.features.sitemaps.feature import sitemaps_of
from hinterland.crawler.features.soft_404.sibling_probes import SiblingProbes
from hinterland.crawler.features.soft_404.soft_404 import Soft404
from hinterland.crawler.features.topics.feature import FocusedCrawl
from hinterland.crawler.features.traps.feature import NothingDeprioritised, deprioritiser_from_store
from hinterland.crawler.features.usage.feature import KeepsUsage
from hinterland.crawler.fetching.robots.robots_cache import RobotsCache
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.features import Features
from hinterland.crawler.plugins.kinds import FEATURE
from hinterland.crawler.plugins.loading import installed_names, installed_plugin, plugins_of
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import HinterlandBudget, Settings
from hinterland.crawler.urls.url_names import UrlNames
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.topics import TopicRecord

STATISTICS_OF_FEATURES: Final = ("hinterland", "traps", "harvest", "accuracy", "revisits", "sitemaps")
"""The names of the features' counters, which appear in every progress report."""


@dataclass(frozen=True, slots=True)
class FreshState:
    """The state into which a store is restored, with the features, if any, that take part in restoring."""

    core: CoreState
    topic: FocusedCrawl | None = None
    outside: OutsideSampling | None = None


def fresh_state(
    settings: Settings,
    robots: RobotsCache,
    request: CrawlRequest,
    topic: TopicRecord | None,
    time_slots: TimeSlots | None,
) -> FreshState:
    """Return the empty state of a crawl, to be filled from a store or by the crawl."""
    policy = make_policy(settings.policy.name, settings.policy.seed)
    samples = request.chooser is None and not HinterlandBudget.parse(settings.hinterland.budget).is_none
    frontier = _frontier(settings, request, time_slots)
    scope, names = Scope(settings.scope), UrlNames() if time_slots is not None and policy.needs_refresh else None
    known = KnownPages(
        scope, max_depth=settings.scope.depth_limit, max_urls_per_host=settings.scope.urls_per_host_limit, names=names
    )
    log = LinkLog() if policy.needs_refresh or samples or request.chooser is not None else None
    judges = None if topic is None else FocusedCrawl(policy, known, topic.targets)
    outside = None
    if samples and log is not None:
        outside = OutsideSampling(settings.hinterland, known, frontier, policy, log)
    restorable = [feature for feature in (judges, outside) if feature is not None]
    return FreshState(
        CoreState(
            scope=scope, known=known, frontier=frontier, policy=policy, robots=robots, log=log, features=restorable
        ),
        judges,
        outside,
    )


def _frontier(settings: Settings, request: CrawlRequest, time_slots: TimeSlots | None) -> Frontier:
    is_limited = request.revisiting is None  # scope.max_pages_per_host counts visits
    options: dict[str, Any] = {
        "random": random.Random(settings.policy.seed ^ os.getpid()).random,
        "max_pages_per_host": settings.scope.pages_per_host_limit if is_limited else None,
        "robots_retry_seconds": settings.robots.retry_seconds,
        "time_slots": time_slots,
    }
    if request.revisiting is not None and request.revisiting.budget is not None:
        return paced_frontier(request.revisiting.budget, settings.revisits, settings.politeness, **options)
    make = Frontier if request.chooser is None else request.chooser.frontier
    return make(settings.politeness, **options)


async def features_of(
    request: CrawlRequest, store: LinkStore, fresh: FreshState, shared: SharedGraph | None, now: Callable[[], float]
) -> Features:
    """Return the features, in the order in which they are called.

    Pages of other shards are removed from the discoveries before any other feature learns of them. The records of
    sampling outside pages come before the record of a visit.
    """
    settings, core = request.settings, fresh.core
    known, frontier = core.known, core.frontier
    features: list[Feature] = []
    if request.shard is not None:
        has_limit = settings.scope.depth_limit is not None
        features.append(await exchange_of(request.shard, known, store, shared, has_depth_limit=has_limit))
    if request.chooser is not None and core.log is not None:
        patience = settings.politeness.max_retry_wait_seconds
        start = ChooserStart(store, known, frontier, core.log, now, patience)
        features.append(await request.chooser.feature(start))
    features += [each for each in (fresh.outside, fresh.topic) if each is not None]
    traps = settings.traps
    features.append(
        await deprioritiser_from_store(traps, store, known, frontier) if traps.enabled else NothingDeprioritised()
    )
    if settings.fetching.cookies:
        features.append(PassesCookieGates(await store.ask(lambda stored: stored.pages.redirected_pages())))
    recrawl = await _recrawl(request, store, core, now())
    features += [] if recrawl is None else [recrawl]
    use = settings.sitemaps.use
    if use == "always" or (use == "recrawl" and recrawl is not None):
        revisits = None if recrawl is None else recrawl.revisits
        features.append(
            await sitemaps_of(
                store=store,
                revisits=revisits,
                known=known,
                frontier=frontier,
                scope=core.scope,
                settings=settings,
                now=now(),
            )
        )
    if settings.revisits.soft_404 != "never":
        probed = await store.ask(lambda stored: stored.history.probed())
        features.append(SiblingProbes(Soft404(settings.revisits.soft_404, probed)))
    features += [Extraction(), KeepsUsage()]
    if settings.storage.keep_headers:
        features.append(KeptHeaders(settings.storage.keep_headers))
    features += plugged_in(request.plugins)
    if tables := [table for feature in features for table in feature.tables]:
        await store.set_extraction(tables)
    return Features(features, STATISTICS_OF_FEATURES)


def plugged_in(files: Sequence[str]) -> list[Feature]:
    """Return the features from plug-in files and installed packages. Raises PluginError."""
    plugins = plugins_of(files, [FEATURE])
    installed = [installed_plugin(FEATURE, name) for name in installed_names(FEATURE)]
    return [plugin.what() for plugin in (*plugins, *installed) if plugin is not None]


async def _recrawl(request: CrawlRequest, store: LinkStore, core: CoreState, now: float) -> Recrawl | None:
    revisiting, settings = request.revisiting, request.settings.revisits
    if revisiting is None:
        return None
    if revisiting.budget is None:
        return await revisit_once(store, core.known, core.frontier, settings, now)
    assert isinstance(core.frontier, PacedFrontier)
    planner = RevisitPlanner(core.frontier, revisiting.budget)
    return await keep_revisiting(store, core.known, core.frontier, settings, planner, now)
