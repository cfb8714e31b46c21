"""What a crawl waits for: the network, the parsers, the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.observation import Phases
from hinterland.crawler.fetching.flow.flow import Flow
from hinterland.crawler.fetching.names.resolver import NamedAddress
from hinterland.crawler.fetching.validators import NO_VALIDATORS, Validators
from hinterland.crawler.loop.host_slots import HostSlots
from hinterland.crawler.parsing.page_parser import PageParser
from hinterland.storage.kept_bodies import KeptBodies
from hinterland.storage.record_writer import RecordWriter


class PageFetcher(Protocol):
    @property
    def phases(self) -> Phases: ...
    @property
    def closed_before(self) -> int: ...
    @property
    def lookups(self) -> int: ...
    async def resolve(self, host: str, *, is_fresh: bool = False) -> NamedAddress | NoAnswer | None: ...
    async def fetch(
        self, url: str, limits: BodyLimits, validators: Validators = NO_VALIDATORS
    ) -> Answer | NoAnswer: ...


class Timer(Protocol):
    """What is to be called at a time."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Epoch seconds that never go back; as fast as an experiment needs them. speed: seconds of this clock that may pass
    in one of the event loop.
    """

    speed: float

    def __call__(self) -> float: ...
    def call_at(self, when: float, callback: Callable[[], None]) -> Timer: ...


@dataclass(frozen=True, slots=True)
class CrawlIO:
    """flow: how much may be under way. bodies: whether those of pages are kept. host_slots: by which the parsers ask
    hosts for what pages need, if they do. ends_crawl: whether an error is none of one visit alone, such as a full disk.
    """

    fetcher: PageFetcher
    parsers: PageParser
    writer: RecordWriter
    now: Clock
    flow: Flow
    bodies: KeptBodies
    host_slots: HostSlots | None = None
    ends_crawl: Callable[[Exception], bool] = lambda error: False


Schedule = Callable[[], None]
"""Something changed: see who can go on, once all that changed with it has been told."""
