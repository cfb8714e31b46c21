"""What a crawl is asked to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hinterland.crawler.features.exchange.exchanging import Membership
from hinterland.crawler.features.live_walk.live_walk import WalkRequest
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.loop.shell import Clock
from hinterland.crawler.settings import Settings
from hinterland.storage.values.topics import TopicRecord


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """What to crawl. seeds: canonical URLs; max_pages: HTML pages the store may hold when the crawl ends; warc: the
    folder of an archive to write beside the store; topic: what it is about; None: what the store says, if anything;
    walk: a random walk that alone says which pages are visited; rules: what to extract from pages, encoded; hooks:
    where its hooks are, see ParserConfig; plugins: files, absolute, in which the classifier of the topic may be.
    revisiting: if what was visited is to be looked at again. clock: another than that of this machine. shard: which
    part of a crawl this is, if it is not all of it."""

    settings: Settings
    seeds: Sequence[str]
    command: Sequence[str]
    max_pages: int | None = None
    warc: Path | None = None
    retry_rules: RetryRules = RETRY_RULES
    topic: TopicRecord | None = None
    walk: WalkRequest | None = None
    rules: bytes = b""
    hooks: Sequence[str | bytes] = ()
    plugins: Sequence[str] = ()
    revisiting: Revisiting | None = None
    clock: Clock | None = None
    shard: Membership | None = None
