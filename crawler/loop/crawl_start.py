"""What a crawl starts from: the request, the empty or restored state, and the factories of its features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.fetching.access.access import AccessProvider, CombinedAccess
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.fetching.robots.robots_cache import RobotsCache
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.loop.crawl_io import Clock
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.restorable import Restorable
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.plugins.kinds import PluginKind
from hinterland.crawler.settings import Settings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.topics import TopicRecord

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """The crawl to run.

    `seeds` are canonical URLs. `max_pages` limits the HTML pages in the store at the end of the crawl. `warc` is the
    folder of an archive to write in addition to the store. `topic` is the topic of the crawl; None means the topic in
    the store, if there is one. `chooser`, if set, alone decides which pages are visited. `rules` say what to extract
    from pages, encoded; `hooks` say where the parsers find their hooks, see ParserConfig. `plugins` are absolute paths
    of plug-in files with features or the topic's classifier. `asked` holds requests to single features; each feature
    recognises its own by their type. `clock` replaces the clock of this machine.
    """

    settings: Settings
    seeds: Sequence[str]
    command: Sequence[str]
    max_pages: int | None = None
    warc: Path | None = None
    retry_rules: RetryRules = RETRY_RULES
    topic: TopicRecord | None = None
    chooser: Chooser | None = None
    rules: bytes = b""
    hooks: Sequence[str | bytes] = ()
    plugins: Sequence[str] = ()
    asked: Sequence[object] = ()
    clock: Clock | None = None

    def of(self, kind: type[Kind]) -> Kind | None:
        """Return the request of this class to a single feature; None if there is none."""
        return next((each for each in self.asked if isinstance(each, kind)), None)


@dataclass(frozen=True, slots=True)
class CoreState:
    """The state into which a store is restored; empty at first.

    `log` holds all links, if anything is computed from them. `features` are the features that continue from an earlier
    run.
    """

    scope: Scope
    known: KnownPages
    frontier: Frontier
    policy: FrontierPolicy
    robots: RobotsCache
    log: LinkLog | None = None
    features: Sequence[Restorable] = ()

    @property
    def ranks_candidates(self) -> bool:
        """Whether any feature asks the policy to rank candidates."""
        return any(feature.ranks_candidates for feature in self.features)

    @property
    def remembers_urgencies(self) -> bool:
        """Whether any feature can teach the policy the urgencies of pages found in earlier runs."""
        return any(feature.remembers_urgencies for feature in self.features)


@dataclass(frozen=True, slots=True)
class CrawlStart:
    """What the features of a crawl are made from.

    `provider` returns what features add to single requests, such as logins. `features` are the features made so far, in
    the order of the table.
    """

    request: CrawlRequest
    store: LinkStore
    core: CoreState
    now: Clock
    provider: CombinedAccess = field(default_factory=CombinedAccess)
    features: list[Feature] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        """The settings of the crawl."""
        return self.request.settings

    def feature(self, kind: type[Kind]) -> Kind | None:
        """Return the feature of this class; None if it takes no part in the crawl, or was not made yet."""
        return next((each for each in self.features if isinstance(each, kind)), None)


class FeatureUnusable(Exception):
    """Raised if this machine lacks something that a feature needs. The message says what, and what to do."""


class FeatureFactory:
    """Base class of the objects that make a feature for a crawl. A subclass overrides `make`, and what else it needs.

    The methods are called in this order; each is called on all factories before the next method.
    """

    counters: Sequence[str] = ()
    """The names of the feature's counters, which every progress report has, even if the feature takes no part."""

    def require(self, settings: Settings) -> None:
        """Check that the feature can be used on this machine under these settings, before the store is opened.

        Raises MissingExtra if a package must be installed, and FeatureUnusable if anything else is missing.
        """

    def plugins(self, settings: Settings) -> Sequence[tuple[PluginKind, str]]:
        """Return the kind and name of each plug-in that the feature uses under these settings.

        This includes plug-ins that are part of Hinterland.
        """
        return ()

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return, in words, what the request wants of the feature but a crawl in shards cannot do; "" for nothing."""
        return ""

    async def prepare(self, request: CrawlRequest, store: LinkStore) -> CrawlRequest:
        """Return the request, perhaps changed, before anything is made from it."""
        return request

    def access(self, request: CrawlRequest) -> AccessProvider | None:
        """Return the provider that adds something to single requests; None if the feature adds nothing in this crawl.

        Raises FeatureUnusable.
        """
        return None

    def needs_links(self, request: CrawlRequest) -> bool:
        """Return whether the feature needs a log of all links."""
        return False

    def page_reader(self, request: CrawlRequest, core: CoreState) -> ReaderOrder | None:
        """Return the order that tells parser processes what to read for the feature; None for nothing."""
        return None

    def frontier_options(self, request: CrawlRequest) -> Mapping[str, Any]:
        """Return arguments of Frontier by name; they replace the usual arguments."""
        return {}

    def frontier(self, request: CrawlRequest, options: Mapping[str, Any]) -> Frontier | None:
        """Return a frontier of the feature's own, with these arguments of Frontier; None for the usual frontier."""
        return None

    def make_restorable(self, request: CrawlRequest, core: CoreState) -> Restorable | None:
        """Return the feature if it takes part in restoring the store into `core`; else None."""
        return None

    async def make(self, start: CrawlStart) -> Feature | None:
        """Return the feature, after the store is restored; None if it takes no part in this crawl."""
        return None


class Chooser(FeatureFactory):
    """Makes a feature, defined outside the crawler, that alone decides which pages are visited."""

    def starting_at(self, seeds: Sequence[str]) -> Chooser:
        """Return the chooser for a crawl with these seeds, canonical URLs."""
        return self
