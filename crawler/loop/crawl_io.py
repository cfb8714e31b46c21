"""What a crawl waits for: the network, the parsers, the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.observation import PhaseCounts
from hinterland.crawler.fetching.flow.flow import Flow
from hinterland.crawler.fetching.names.resolver import NamedAddress
from hinterland.crawler.fetching.validators import NO_VALIDATORS, Validators
from hinterland.crawler.loop.host_slots import HostSlots
from hinterland.crawler.parsing.page_parser import PageParser
from hinterland.storage.kept_bodies import KeptBodies
from hinterland.storage.record_writer import RecordWriter


class PageFetcher(Protocol):
    """What makes requests and looks up host names."""

    @property
    def phases(self) -> PhaseCounts:
        """How many requests are in each phase now."""
        ...

    @property
    def closed_before(self) -> int:
        """How many requests met a kept-alive connection that the server had just closed."""
        ...

    @property
    def lookups(self) -> int:
        """How many names were looked up successfully."""
        ...

    async def resolve(self, host: str, *, is_fresh: bool = False) -> NamedAddress | NoAnswer | None:
        """Return the address of a host URL, or why there is none; None if a proxy does the lookups."""
        ...

    async def fetch(self, url: str, limits: BodyLimits, validators: Validators = NO_VALIDATORS) -> Answer | NoAnswer:
        """Make one request and return its answer, or why there is none."""
        ...


class Timer(Protocol):
    """A callback that is scheduled for a point in time."""

    def cancel(self) -> None:
        """Do not call it any more."""
        ...


class Clock(Protocol):
    """Epoch seconds that never go back, as fast as an experiment needs them.

    `speed` is the number of seconds that pass on this clock per second of the event loop.
    """

    speed: float

    def __call__(self) -> float:
        """Return the time in epoch seconds."""
        ...

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Call `callback` when this clock shows `when`."""
        ...


@dataclass(frozen=True, slots=True)
class CrawlIO:
    """The objects through which a crawl reaches the network, the parsers and the store.

    `flow` limits how much may be under way. `bodies` says whether page bodies are kept. `host_slots`, if set, are for
    requests besides the visits, such as a browser's. `ends_crawl` says whether an error concerns more than one visit,
    such as a full disk.
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
"""Tells the crawl that something has changed, so that it sees what can go on once the current step is complete."""
