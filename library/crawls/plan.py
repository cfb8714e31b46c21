"""The plan of a crawl: what the user or a program asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.loop.crawl_start import Chooser, CrawlRequest
from hinterland.crawler.settings import EffectiveSettings, Settings
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.library.rule_choice import NO_EXTRACTION, ExtractionChoice
from hinterland.storage.values.topics import TopicRecord


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """The plan of a crawl.

    `store` is the path as given, `command` the arguments to record in the store, `warc` a folder, and `cluster` the
    value of --cluster. `asked` holds the parts that concern single features. `max_pages` of NO_BUDGET removes the
    budget of the last run; None keeps it.
    """

    settings: EffectiveSettings
    seeds: Sequence[GivenSeed]
    store: str
    command: Sequence[str]
    max_pages: int | None = None
    resume: bool = False
    warc: str | None = None
    retry: Sequence[str] = ()
    retry_rules: RetryRules = RETRY_RULES
    topic: TopicRecord | None = None
    plugins: Sequence[str] = ()
    chooser: Chooser | None = None
    extraction: ExtractionChoice = NO_EXTRACTION
    revisiting: Revisiting | None = None
    cluster: str | None = None
    asked: Sequence[object] = ()

    def request(self, settings: Settings) -> CrawlRequest:
        """Return the request for a crawl under these settings, without what the store and the seeds decide."""
        return CrawlRequest(
            settings=settings,
            seeds=(),
            command=self.command,
            warc=None if self.warc is None else Path(self.warc),
            retry_rules=self.retry_rules,
            topic=self.topic,
            chooser=self.chooser,
            hooks=self.extraction.hooks,
            plugins=self.plugins,
            asked=(*self.asked, *(() if self.revisiting is None else (self.revisiting,))),
        )
