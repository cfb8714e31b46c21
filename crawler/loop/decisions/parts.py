"""What a crawl decides with. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hinterland.crawler.features.cookie_gates.cookie_gates import CookieGates
from hinterland.crawler.features.exchange.exchange import Exchange, NoExchange
from hinterland.crawler.features.outside.outside_pages import NoOutside, Outside
from hinterland.crawler.features.recrawl.revisits import NoRevisits, Revisits
from hinterland.crawler.features.sitemaps.outcomes import NoSitemaps, Sitemaps
from hinterland.crawler.features.soft_404.soft_404 import NoSoft404, Soft404
from hinterland.crawler.features.topics.focus import Focus, NoFocus
from hinterland.crawler.features.traps.slow_lane import NoSlowLane, SlowLane
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.fetching.robots.book import RobotsBook
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.network_watch import NetworkWatch
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_urls import PageUrls
from hinterland.crawler.frontier.waiting_pages import IntArray
from hinterland.crawler.policies import FrontierPolicy
from hinterland.crawler.urls.canonical import Canonicaliser

FollowsLinks = Callable[[int, IntArray], None]
"""Told of every page whose links were read, and of the distinct pages it links to, shape (k,)."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The objects that a visit changes, each pure and synchronous. followers: beside the policy."""

    frontier: Frontier
    known: KnownPages
    policy: FrontierPolicy
    network: NetworkWatch
    robots: RobotsBook
    urls: PageUrls
    canonicaliser: Canonicaliser
    followers: Sequence[FollowsLinks] = ()
    outside: Outside = field(default_factory=NoOutside)
    slow_lane: SlowLane | NoSlowLane = field(default_factory=NoSlowLane)
    retry_rules: RetryRules = RETRY_RULES
    focus: Focus | NoFocus = field(default_factory=NoFocus)
    revisits: Revisits | NoRevisits = field(default_factory=NoRevisits)
    sitemaps: Sitemaps | NoSitemaps = field(default_factory=NoSitemaps)
    soft_404: Soft404 | NoSoft404 = field(default_factory=NoSoft404)
    exchange: Exchange | NoExchange = field(default_factory=NoExchange)
    cookie_gates: CookieGates = field(default_factory=CookieGates)
