"""A crawl of a stored web by the frontier of the live crawl, under a virtual clock.

As in a live crawl, politeness affects the order: a host rests after each visit, so the policy can choose only among the
hosts that may be visited now. Local and outside pages are crawled together, from the seeds of the local domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from math import exp, inf, log
from typing import Final

from hinterland.analysis.estimates.estimators import Estimator
from hinterland.analysis.graph import IntArray
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.frontier.visits import Exhausted, HostTaskKind, RobotsKnown, Visit
from hinterland.crawler.settings import PolitenessSettings
from hinterland.lab.experiments.simulation import Measurement, SimulatedCrawl, SimulatedWeb, SimulationResult, generator

CONNECTIONS: Final = 100
"""The most visits in flight.

The live crawl had this limit when the first experiments were made, so results remain comparable. It now opens as many
connections as its hosts need.
"""


@dataclass(frozen=True, slots=True)
class LatencyModel:
    """Log-normal durations of visits.

    The median of each host is drawn around median_seconds, and the duration of each visit around the host's median. The
    spreads are standard deviations of the logarithms. These are assumptions, not measurements.
    """

    median_seconds: float = 0.3
    host_spread: float = 1.0
    visit_spread: float = 0.5

    def __post_init__(self) -> None:
        """Raise ValueError if the median is not above 0."""
        if not self.median_seconds > 0:
            raise ValueError(f"the median duration of a visit is {self.median_seconds} seconds; it has to be above 0")


@dataclass(frozen=True, slots=True)
class VirtualVisit:
    """A visit, with times in virtual seconds; `page` is -1 if robots.txt was fetched."""

    host: int
    page: int
    started: float
    ended: float


@dataclass(frozen=True, slots=True)
class VirtualCrawl:
    """The result of a virtual crawl, and all of its visits."""

    result: SimulationResult
    visits: tuple[VirtualVisit, ...]


class _Durations:
    """Random durations from a latency model; the same seed gives the same durations."""

    def __init__(self, model: LatencyModel, seed: int) -> None:
        """Start before any host has a median."""
        self._model = model
        self._rng = generator(seed)
        self._medians: dict[int, float] = {}

    def draw(self, host: int) -> float:
        """Draw the duration of one visit, in seconds."""
        if host not in self._medians:
            self._medians[host] = log(self._model.median_seconds) + self._model.host_spread * self._rng.normal()
        return exp(self._medians[host] + self._model.visit_spread * self._rng.normal())


def virtual_crawl(
    web: SimulatedWeb,
    policy: FrontierPolicy,
    estimators: Mapping[str, Estimator],
    *,
    budget: int,
    refresh_pages: int,
    politeness: PolitenessSettings,
    latency: LatencyModel,
    connections: int,
    seed: int,
) -> VirtualCrawl:
    """Crawl n + budget pages, or all reachable pages if there are fewer, with at most `connections` visits in flight.

    Whenever `refresh_pages` more pages are crawled, the estimates are measured and the policy refreshes its order; this
    takes no virtual time. Every host has an address of its own, answers every request, and permits everything in its
    robots.txt.
    """
    return _Run(
        web=web,
        policy=policy,
        estimators=estimators,
        budget=budget,
        refresh_pages=refresh_pages,
        politeness=politeness,
        durations=_Durations(latency, seed),
        connections=connections,
    ).crawled()


class _Run:
    """The mutable state of one virtual crawl."""

    def __init__(
        self,
        web: SimulatedWeb,
        policy: FrontierPolicy,
        estimators: Mapping[str, Estimator],
        budget: int,
        refresh_pages: int,
        politeness: PolitenessSettings,
        durations: _Durations,
        connections: int,
    ) -> None:
        """Start at time 0, with nothing known."""
        self._policy = policy
        self._estimators = estimators
        self._budget = budget
        self._refresh_pages = refresh_pages
        self._durations = durations
        self._connections = connections
        self._crawl = SimulatedCrawl(web, policy)
        self._frontier = Frontier(politeness, random=lambda: 0.0)  # no visit fails, so no back-off is drawn
        self._hosts = 0
        self._local = 0
        self._pages_left = web.local_count + budget
        self._under_way: list[tuple[float, int, float, Visit]] = []  # (end, turn, start, visit)
        self._turn = 0
        self._measurements: list[Measurement] = []
        self._crawled_then = -1  # pages crawled at the last measurement
        self._visits: list[VirtualVisit] = []

    def crawled(self) -> VirtualCrawl:
        """Run the crawl to its end."""
        now = 0.0
        self._let_wait(self._crawl.discover_seeds(), now)
        while True:
            step = None
            if self._pages_left and self._frontier.in_flight < self._connections:
                step = self._frontier.next_visit(now)
            if isinstance(step, Visit):
                self._begin(step, now)
                continue
            if isinstance(step, Exhausted) or (step is None and not self._under_way):
                break
            until = inf if step is None else step.until
            now = min(until, self._under_way[0][0]) if self._under_way else until
            while self._under_way and self._under_way[0][0] <= now:
                self._end(now)
        if self._crawled_then != self._crawl.crawled_count:
            self._measure(now)
        crawl = self._crawl
        return VirtualCrawl(
            SimulationResult(
                crawl.web.local_count,
                self._budget,
                self._pages_left > 0,
                tuple(self._measurements),
                tuple(crawl.crawled_pages().tolist()),
            ),
            tuple(self._visits),
        )

    def _begin(self, visit: Visit, now: float) -> None:
        if visit.host_task is not None and visit.host_task.kind is HostTaskKind.RESOLVE:
            self._frontier.resolved(visit, f"host {visit.host}", now)
            return
        if visit.host_task is None:
            self._pages_left -= 1
        self._turn += 1
        heappush(self._under_way, (now + self._durations.draw(visit.host), self._turn, now, visit))

    def _end(self, now: float) -> None:
        end, _, start, visit = heappop(self._under_way)
        self._visits.append(VirtualVisit(visit.host, visit.page, start, end))
        if visit.host_task is not None:
            self._frontier.robots_fetched(visit, RobotsKnown(inf), now, end - start)
            return
        self._frontier.finished(visit, now, end - start)
        self._local += self._crawl.is_local(visit.page)
        self._let_wait(self._crawl.crawl(visit.page), now)
        if self._crawl.crawled_count % self._refresh_pages == 0:
            self._measure(now)
            self._refresh(now)

    def _let_wait(self, pages: IntArray, now: float) -> None:
        while self._hosts < self._crawl.host_count:
            self._hosts = self._frontier.add_host() + 1
        self._frontier.add(pages, self._crawl.hosts_of(pages), self._crawl.urgencies(pages), now)

    def _refresh(self, now: float) -> None:
        if not self._policy.needs_refresh:
            return
        waiting = self._frontier.begin_reordering()
        compute = self._policy.begin_refresh(self._crawl.snapshot(), waiting.pages, self._refresh_pages)
        self._frontier.install(waiting.sorted(compute()), now)

    def _measure(self, now: float) -> None:
        crawl = self._crawl
        self._crawled_then = crawl.crawled_count
        outside = crawl.crawled_count - self._local
        distances = crawl.distances(crawl.snapshot(), self._estimators)
        self._measurements.append(Measurement(outside, len(crawl.frontier()), distances, now))
