"""The objects that make the decisions of a crawl. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.fetching.robots.robots_cache import RobotsCache
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.network_watch import NetworkWatch
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.page_urls import PageUrls
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.frontier.waiting_pages import IntArray
from hinterland.crawler.loop.decisions.features import Features
from hinterland.crawler.urls.canonical import Canonicaliser

FollowsLinks = Callable[[int, IntArray], None]
"""Called for every page whose links were read, with the distinct pages that it links to, shape (k,)."""


@dataclass(frozen=True, slots=True)
class CrawlComponents:
    """The objects that visits change, all pure and synchronous.

    Each of `followers` is called with the links of each page, as the policy is.
    """

    frontier: Frontier
    known: KnownPages
    policy: FrontierPolicy
    network: NetworkWatch
    robots: RobotsCache
    urls: PageUrls
    canonicaliser: Canonicaliser
    followers: Sequence[FollowsLinks] = ()
    retry_rules: RetryRules = RETRY_RULES
    features: Features = field(default_factory=Features)
