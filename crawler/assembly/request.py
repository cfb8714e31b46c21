"""The description of the crawl to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.features.exchange.url_forwarding import Membership
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.crawl_io import Clock
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.settings import PolitenessSettings, Settings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.topics import TopicRecord


@dataclass(frozen=True, slots=True)
class ChooserStart:
    """What a chooser receives, after everything in the store is restored.

    `patience_seconds` is the maximum wait for a page's retry.
    """

    store: LinkStore
    known: KnownPages
    frontier: Frontier
    log: LinkLog
    now: Callable[[], float]
    patience_seconds: float


class Chooser(Protocol):
    """Makes a feature, defined outside the crawler, that alone decides which pages are visited."""

    def starting_at(self, seeds: Sequence[str]) -> Chooser:
        """Return the chooser for a crawl with these seeds, canonical URLs."""
        ...

    def frontier(self, politeness: PolitenessSettings, **options: Any) -> Frontier:
        """Return the frontier to use; `options` are arguments of Frontier."""
        ...

    async def feature(self, start: ChooserStart) -> Feature:
        """Return the feature, starting from the restored state."""
        ...


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """The crawl to run.

    `seeds` are canonical URLs. `max_pages` limits the HTML pages in the store at the end of the crawl. `warc` is the
    folder of an archive to write in addition to the store. `topic` is the topic of the crawl; None means the topic in
    the store, if there is one. `chooser`, if set, alone decides which pages are visited. `rules` say what to extract
    from pages, encoded; `hooks` say where the parsers find their hooks, see ParserConfig. `plugins` are absolute paths
    of files that may have features and the topic's classifier. `revisiting` is set if visited pages are to be
    revisited. `clock` replaces the clock of this machine. `shard` is set if this is one shard of a cluster crawl.
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
    revisiting: Revisiting | None = None
    clock: Clock | None = None
    shard: Membership | None = None
