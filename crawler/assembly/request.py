"""What a crawl is asked to do."""

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
    """What a chooser goes on from, once all that the store knows was restored. patience_seconds: the longest wait for
    the next try of a page.
    """

    store: LinkStore
    known: KnownPages
    frontier: Frontier
    log: LinkLog
    now: Callable[[], float]
    patience_seconds: float


class Chooser(Protocol):
    """Makes a feature, from outside the crawler, that alone says which pages are visited."""

    def starting_at(self, seeds: Sequence[str]) -> Chooser:
        """The same, for a crawl that is given these seeds, canonical URLs."""
        ...

    def frontier(self, politeness: PolitenessSettings, **options: Any) -> Frontier:
        """Where pages wait, with the options of a Frontier."""
        ...

    async def feature(self, start: ChooserStart) -> Feature: ...


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """What to crawl. seeds: canonical URLs; max_pages: HTML pages the store may hold when the crawl ends; warc: the
    folder of an archive to write beside the store; topic: what it is about; None: what the store says, if anything;
    chooser: what alone says which pages are visited; rules: what to extract from pages, encoded; hooks: where its hooks
    are, see ParserConfig; plugins: files, absolute, in which features and the classifier of the topic may be.
    revisiting: if what was visited is to be looked at again. clock: another than that of this machine. shard: which
    part of a crawl this is, if it is not all of it.
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
