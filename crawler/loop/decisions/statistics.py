"""What a crawl has done so far, as a value for displays, logs and the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from hinterland.crawler.fetching.flow.weather import Weather
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.visits import FrontierCounts

T = TypeVar("T")


@dataclass(slots=True)
class Tally:
    """Counts of this run; mutable, kept by the engine."""

    visits: int = 0
    outcomes: Counter[OutcomeKind] = field(default_factory=Counter)
    retries: int = 0
    robots_fetched: int = 0
    probes: int = 0
    host_failures: Counter[OutcomeKind] = field(default_factory=Counter)
    wire_bytes: int = 0
    body_bytes: int = 0
    links: int = 0
    bad_links: int = 0
    cut: Counter[str] = field(default_factory=Counter)
    refreshes: int = 0
    refresh_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CrawlStatistics:
    """A snapshot. Counts are of this run, except fetched_before, pages_known and pages_local, which are of the store;
    of a part of a crawl the last two leave out what other parts are to fetch.
    """

    seconds: float  # since this run began
    policy: str
    pages_fetched: int  # HTML pages
    fetched_before: int  # HTML pages, in earlier runs
    max_pages: int | None
    pages_known: int
    pages_local: int
    visits: int
    outcomes: dict[str, int]  # by kind of outcome
    retries: int
    robots_fetched: int
    host_failures: dict[str, int]  # DNS lookups and robots.txt that failed, by kind
    wire_bytes: int
    body_bytes: int
    links: int
    bad_links: int
    refreshes: int
    refresh_seconds: float  # spent beside the crawl
    parser_restarts: int
    parser_backlog: int
    frontier: FrontierCounts
    cut: dict[str, int] = field(default_factory=dict)  # pages of which something was too much, by what it was
    network_down_seconds: float | None = None  # so far, while nothing can be reached
    probes: int = 0  # requests made to see whether a host answers
    weather: Weather | None = None  # what bounds the crawl; None until that has been looked at
    compiling_seconds: float | None = None  # so far, while what ranks pages is being compiled
    features: Mapping[str, Any] = field(default_factory=dict)  # what features count, by name

    @property
    def pages_per_second(self) -> float:
        return self.pages_fetched / self.seconds if self.seconds > 0 else 0.0

    def of(self, kind: type[T]) -> T | None:
        """What the feature counts whose statistics are of this type; None if it takes no part in the crawl."""
        return next((each for each in self.features.values() if isinstance(each, kind)), None)

    def as_json(self) -> dict[str, Any]:
        """The counts of features stand beside the others, by their names."""
        values = asdict(self)
        of_features = values.pop("features")
        return {**values, **of_features}
