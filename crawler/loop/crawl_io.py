"""The interfaces to what a crawl waits for: the network, the parsers and the store."""

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
    """Makes requests and looks up host names."""

    @property
    def phases(self) -> PhaseCounts:
        """The number of requests now in each phase."""
        ...

    @property
    def closed_before(self) -> int:
        """The number of requests so far that found their kept-alive connection just closed by the server."""
        ...

    @property
    def lookups(self) -> int:
        """The number of names looked up successfully so far."""
        ...

    async def resolve(self, host: str, *, is_fresh: bool = False) -> NamedAddress | NoAnswer | None:
        """Return the address of a host, given by its URL, or why there is none.

        Returns None if no lookup is needed, as with a proxy. `is_fresh` requests a new lookup.
        """
        ...

    async def fetch(
        self,
        url: str,
        limits: BodyLimits,
        validators: Validators = NO_VALIDATORS,
        *,
        by: str = "",
        form: str | None = None,
    ) -> Answer | NoAnswer:
        """Make one request; return its answer, or why there is none.

        `by` is the URL of the page whose script makes the request. `form` is sent by POST.
        """
        ...


class Timer(Protocol):
    """A callback that is scheduled for a point in time."""

    def cancel(self) -> None:
        """Cancel the call."""
        ...


class Clock(Protocol):
    """A clock in epoch seconds that never goes back. Experiments may run it faster than real time.

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

    `flow` limits how much may be under way. `bodies` says whether page bodies are kept. `host_slots` is set if requests
    are made outside the visits, such as a browser's. `ends_crawl` says whether an error, such as a full disk, concerns
    more than one visit.
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
"""Call this when something has changed; the crawl then hands out visits once the current step is complete."""
