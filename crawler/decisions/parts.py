"""What a crawl decides with. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from crawler.decisions.cookie_gates import CookieGates
from crawler.decisions.exchange import Exchange, NoExchange
from crawler.decisions.focus import Focus, NoFocus
from crawler.decisions.revisits import NoRevisits, Revisits
from crawler.decisions.sitemaps import NoSitemaps, Sitemaps
from crawler.decisions.soft_404 import NoSoft404, Soft404
from crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from crawler.frontier.frontier import Frontier
from crawler.frontier.network_watch import NetworkWatch
from crawler.frontier.waiting_pages import IntArray
from crawler.hinterland.outside_pages import NoOutside, Outside
from crawler.pages.known_pages import KnownPages
from crawler.pages.page_urls import PageUrls
from crawler.policies import FrontierPolicy
from crawler.robots.book import RobotsBook
from crawler.traps.slow_lane import NoSlowLane, SlowLane
from crawler.urls.canonical import Canonicaliser

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
