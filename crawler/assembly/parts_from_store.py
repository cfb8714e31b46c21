"""What of a crawl is in its store: brought back as it was, and the parts of the crawl that go on with it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from hinterland.analysis.estimates.estimate_error import telling
from hinterland.analysis.estimates.estimation import Estimation
from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR
from hinterland.analysis.rank_codec import unpacked
from hinterland.crawler.assembly.request import CrawlRequest
from hinterland.crawler.assembly.restoring import Blank, Terms, restore
from hinterland.crawler.features.cookie_gates.cookie_gates import CookieGates
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.exchange import Exchange, NoExchange
from hinterland.crawler.features.live_walk.live_walk import LiveWalk, WalkRequest
from hinterland.crawler.features.live_walk.on_demand import OnDemandFrontier
from hinterland.crawler.features.outside.outside_pages import NoOutside, Outside, OutsidePages
from hinterland.crawler.features.outside.rank_records import past_estimates
from hinterland.crawler.features.recrawl.revisiting import keep_looking, look_once
from hinterland.crawler.features.recrawl.revisits import NoRevisits, Revisits
from hinterland.crawler.features.sitemaps.known_sitemaps import KnownSitemaps, SitemapLimits
from hinterland.crawler.features.sitemaps.outcomes import NoSitemaps, Sitemaps, restored_row
from hinterland.crawler.features.soft_404.soft_404 import NoSoft404, Soft404
from hinterland.crawler.features.topics.focus import NoFocus
from hinterland.crawler.features.traps.guard import TrapGuard
from hinterland.crawler.features.traps.slow_lane import NoSlowLane, SlowLane
from hinterland.crawler.frontier.network_watch import NetworkWatch
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_urls import PageUrls
from hinterland.crawler.loop.decisions.parts import FollowsLinks, Parts
from hinterland.crawler.loop.decisions.phases import Phase
from hinterland.crawler.loop.decisions.restored import Restored
from hinterland.crawler.settings import HinterlandSettings, Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.link_store import LinkStore

_LOG = logging.getLogger(__name__)


async def restored_from(
    request: CrawlRequest, store: LinkStore, blank: Blank, now: float, told: Callable[[Phase], None]
) -> Restored:
    """What an earlier run has left, taken up by `blank`; nothing of an empty store."""
    if await store.ask(lambda stored: stored.pages.is_empty()):
        return Restored()
    settings = request.settings
    estimator = "" if blank.hinterland is None else estimator_of(settings.hinterland)
    restored = await restore(store, blank, Terms.under(settings, estimator, request.retry_rules), now, told)
    if restored.seconds_ahead:
        _LOG.warning(
            "the store has times that lie %.1f days ahead, so a clock is or was wrong: rests are cut to what the"
            " settings ask for",
            restored.seconds_ahead / 86_400,
        )
    blank.known.has_stale_depths = True  # the last run may have ended before it looked again, or had another limit
    return restored


async def parts_from(
    request: CrawlRequest, store: LinkStore, blank: Blank, start: Restored, now: Callable[[], float]
) -> Parts:
    """All parts of the crawl, with what the store knows of each."""
    settings = request.settings
    slow_lane: SlowLane | NoSlowLane = NoSlowLane()
    if settings.traps.enabled:
        guard = TrapGuard(settings.traps)
        guard.restore(await store.ask(lambda stored: stored.hosts.slowed_shapes()))
        slow_lane = SlowLane(guard, blank.known, blank.frontier)
    outside: OutsidePages | LiveWalk | NoOutside = NoOutside()
    if request.walk is not None:
        outside = await _live_walk(request.walk, settings.politeness.max_retry_wait_seconds, store, blank, now)
    if blank.hinterland is not None:
        outside = OutsidePages(
            blank.hinterland,
            known=blank.known,
            frontier=blank.frontier,
            policy=blank.policy,
            estimator=estimator_of(settings.hinterland),
            left_waiting=start.outside_waiting,
        )
    revisits: Revisits | NoRevisits = NoRevisits()
    if blank.pace is not None:
        revisits = await keep_looking(store, blank, settings.revisits, blank.pace, now())
    elif request.revisiting is not None:
        revisits = await look_once(store, blank, settings.revisits, now())
    sitemaps: Sitemaps | NoSitemaps = NoSitemaps()
    if settings.sitemaps.use == "always" or (settings.sitemaps.use == "recrawl" and request.revisiting is not None):
        sitemaps = await _sitemaps(store, blank, revisits, now(), settings)
    return Parts(
        frontier=blank.frontier,
        known=blank.known,
        policy=blank.policy,
        network=NetworkWatch(
            pause_seconds=settings.politeness.backoff_seconds,
            patience_seconds=settings.politeness.network_patience_seconds,
            heard=start.heard,
        ),
        robots=blank.robots,
        urls=PageUrls(store.urls_of),
        canonicaliser=Canonicaliser.under(settings.urls),
        followers=_followers(blank, outside),
        outside=outside,
        slow_lane=slow_lane,
        retry_rules=request.retry_rules,
        focus=blank.focus or NoFocus(),
        revisits=revisits,
        sitemaps=sitemaps,
        soft_404=await _soft_404(store, settings.revisits.soft_404),
        exchange=await _exchange(request, store, blank.known),
        cookie_gates=await _cookie_gates(request, store),
    )


def estimator_of(settings: HinterlandSettings) -> str:
    """The name of the estimator that is asked for."""
    return settings.estimator or DEFAULT_ESTIMATOR


async def estimation_from(name: str, store: LinkStore) -> Estimation:
    """By the estimator of that name, going on from its last estimate."""
    last = await store.ask(lambda stored: stored.ranks.last_estimate())
    last_ranks = unpacked(last.ranks) if last is not None and last.estimator == name else None
    past = await store.ask(lambda stored: list(stored.ranks.past_estimates(name, telling)))
    return Estimation(name, last_ranks, past=past_estimates(past))


async def _exchange(request: CrawlRequest, store: LinkStore, known: KnownPages) -> Exchange | NoExchange:
    if request.shard is None:
        return NoExchange()
    mark = request.shard.mark
    has_limit = request.settings.scope.depth_limit is not None
    exchange = Exchange(Shards(mark.of), mark.number, known, has_depth_limit=has_limit, owns=request.shard.owns)
    exchange.restore_elsewhere(await store.ask(lambda stored: stored.shards.handed_over()))
    exchange.restore(await store.ask(lambda stored: stored.shards.unsent()))
    return exchange


async def _cookie_gates(request: CrawlRequest, store: LinkStore) -> CookieGates:
    if not request.settings.fetching.cookies:
        return CookieGates()
    led_on = await store.ask(lambda stored: stored.pages.that_led_on())
    return CookieGates(is_on=True, led_on=led_on)


async def _soft_404(store: LinkStore, choice: str) -> Soft404 | NoSoft404:
    if choice == "never":
        return NoSoft404()
    return Soft404(choice, await store.ask(lambda stored: stored.history.probed()))


async def _sitemaps(
    store: LinkStore, blank: Blank, revisits: Revisits | NoRevisits, now: float, settings: Settings
) -> Sitemaps:
    """Those that the store knows, and what each robots.txt and front page in it names."""
    rows = await store.ask(lambda stored: stored.history.sitemaps())
    hears = revisits if isinstance(revisits, Revisits) else None
    limits = SitemapLimits(own_folder_only=settings.sitemaps.own_folder_only)
    known = KnownSitemaps(map(restored_row, rows), limits=limits)
    sitemaps = Sitemaps(known, Canonicaliser.under(settings.urls), hears)
    for host, named in await store.ask(lambda stored: stored.hosts.sitemaps()):
        sitemaps.robots_read(blank.known.host_urls[host], named, now)
    for host, alternates in (await store.ask(lambda stored: stored.links.of_front_pages("alternate"))).items():
        sitemaps.alternates_stored(blank.known.host_urls[host], alternates, now)
    return sitemaps


def _followers(blank: Blank, outside: Outside) -> list[FollowsLinks]:
    followers: list[FollowsLinks] = []
    if blank.log is not None:
        followers.append(blank.log.append)
    if isinstance(outside, LiveWalk):
        followers.append(outside.links_read)
    return followers


async def _live_walk(
    request: WalkRequest, patience_seconds: float, store: LinkStore, blank: Blank, now: Callable[[], float]
) -> LiveWalk:
    assert isinstance(blank.frontier, OnDemandFrontier)
    assert blank.log is not None
    walk = LiveWalk(request, blank.known, blank.frontier, now, patience_seconds)
    crawled = blank.log.snapshot(blank.known.local_mask(), blank.known.hosts())
    walk.restore(crawled, await store.ask(lambda stored: stored.pages.numbers_fetched()))
    return walk
