"""The counters of a crawl so far, as a value for displays, logs and the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from hinterland.crawler.fetching.flow.crawl_limits import CrawlLimits
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.visits import FrontierCounts

T = TypeVar("T")


@dataclass(slots=True)
class Tally:
    """The counters of this run. Mutable; kept by the crawl loop."""

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
    """A snapshot of the counters.

    The counters cover this run, except fetched_before, pages_known and pages_local, which cover the store. In a shard,
    pages_known and pages_local leave out pages that other shards fetch.
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
    host_failures: dict[str, int]  # failed DNS lookups and robots.txt, by kind
    wire_bytes: int
    body_bytes: int
    links: int
    bad_links: int
    refreshes: int
    refresh_seconds: float  # in another thread
    parser_restarts: int
    parser_backlog: int
    frontier: FrontierCounts
    cut: dict[str, int] = field(default_factory=dict)  # pages of which something was cut, such as links, by its name
    network_down_seconds: float | None = None  # how long nothing has been reachable; None if something is
    probes: int = 0  # requests that only test whether a host answers
    weather: CrawlLimits | None = None  # what limits the crawl; None before the first sample. The name is a JSON key
    compiling_seconds: float | None = None  # how long the ranking code has been compiling; None if it is not
    features: Mapping[str, Any] = field(default_factory=dict)  # counters of features, by name

    @property
    def pages_per_second(self) -> float:
        """HTML pages fetched per second, on average over the run."""
        return self.pages_fetched / self.seconds if self.seconds > 0 else 0.0

    def of(self, kind: type[T]) -> T | None:
        """Return the feature counters of this type; None if no feature has any."""
        return next((each for each in self.features.values() if isinstance(each, kind)), None)

    def as_json(self) -> dict[str, Any]:
        """Return all counters by name, including those of features."""
        values = asdict(self)
        of_features = values.pop("features")
        return {**values, **of_features}
