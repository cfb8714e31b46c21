"""What a crawl has done so far, as a value for displays, logs and the store."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.topics.harvest import HarvestStatistics
from hinterland.crawler.features.topics.links.lot_accuracy import LotAccuracy
from hinterland.crawler.features.traps.statistics import TrapStatistics
from hinterland.crawler.fetching.flow.weather import Weather
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.visits import FrontierCounts


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
    of a part of a crawl the last two leave out what other parts are to fetch."""

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
    hinterland: HinterlandStatistics | None = None  # if pages outside the domain are fetched
    traps: TrapStatistics | None = None  # if endless spaces are slowed down
    cut: dict[str, int] = field(default_factory=dict)  # pages of which something was too much, by what it was
    network_down_seconds: float | None = None  # so far, while nothing can be reached
    harvest: HarvestStatistics | None = None  # if the crawl has a topic
    accuracy: LotAccuracy | None = None  # if its policy has drawn pages by lot
    probes: int = 0  # requests made to see whether a host answers
    revisits: RevisitStatistics | None = None  # if pages are looked at again
    sitemaps: dict[str, int] | None = None  # if they are asked for: read, not_modified, failed, signals
    weather: Weather | None = None  # what bounds the crawl; None until that has been looked at
    compiling_seconds: float | None = None  # so far, while what ranks pages is being compiled

    @property
    def pages_per_second(self) -> float:
        return self.pages_fetched / self.seconds if self.seconds > 0 else 0.0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
