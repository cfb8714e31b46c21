"""The inner objects of a crawl, for features that need them."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hinterland.crawler.fetching.answers import BodyLimits
from hinterland.crawler.loop.commits import Commits
from hinterland.crawler.loop.crawl_io import Clock, CrawlIO, PageFetcher, Schedule
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.failure_attribution import FailureAttribution
from hinterland.crawler.loop.host_slots import HostSlots
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.loop.visits import Visits
from hinterland.crawler.parsing.page_parser import PageParser
from hinterland.crawler.settings import Settings


@dataclass(frozen=True, slots=True)
class Workings:
    """The inner objects of a crawl.

    `preparation` compiles the numerical code; `limits` applies to the bodies of pages.
    """

    settings: Settings
    components: CrawlComponents
    io: CrawlIO
    crawl_state: CrawlState
    dispatch: Dispatch
    attribution: FailureAttribution
    visits: Visits
    preparation: Preparation
    limits: BodyLimits
    commits: Commits
    schedule: Schedule


@runtime_checkable
class WrapsParsers(Protocol):
    """A feature that parses pages in its own way, on top of the parser processes."""

    def wrapped(
        self, parsers: PageParser, fetcher: PageFetcher, components: CrawlComponents, host_slots: HostSlots, now: Clock
    ) -> AbstractAsyncContextManager[PageParser]:
        """Return a context manager that opens the page parser of the crawl, which uses `parsers`."""
        ...


@runtime_checkable
class UsesWorkings(Protocol):
    """A feature that takes the inner objects of the crawl before anything else happens."""

    def open(self, workings: Workings) -> None:
        """Take the inner objects of the crawl."""
        ...
