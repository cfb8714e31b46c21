"""A crawl replayed on a stored graph: FindGlobalPR of Davis & Dhillon (KDD 2006) with the policies of the live crawl.

The local domain L, n pages, is crawled first. Then, T times, the policy selects the k most urgent pages of the
frontier, these are crawled, and the PageRank of L is estimated from all that is known. As in a live crawl, pages are
numbered in the order of their discovery, and a policy knows pages by these numbers only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimators import Estimator
from hinterland.analysis.estimates.rank_distances import RankDistance, rank_distance
from hinterland.analysis.graph import BoolArray, FloatArray, Graph, IntArray
from hinterland.analysis.link_log import LinkLog
from hinterland.analysis.local_domain import LocalDomain, covering_seeds
from hinterland.crawler.features.topics.links.link_features import LinkFeatures
from hinterland.crawler.features.topics.policies.reading_policy import Reading, ReadingPolicy
from hinterland.crawler.frontier.policies.policy import FrontierPolicy


def generator(seed: int) -> np.random.Generator:
    """Return a random number generator for `seed`, any whole number."""
    return np.random.default_rng(seed & (2**64 - 1))


@dataclass(frozen=True, eq=False, slots=True)
class StoredReading:
    """What a policy may learn about a topic from a page: its relevance, and the features of its links to `targets`."""

    relevance: float
    targets: IntArray
    features: LinkFeatures


@dataclass(frozen=True, eq=False, slots=True)
class SimulatedWeb:
    """A stored graph as a crawler sees it: pages are in a random order, which is also the order of the links on a page.

    A file sorts links by the URL of their target, which is not an order of discovery. `names` holds, for each page of
    this web, its number in the stored graph. `seeds` are pages of L from which links inside L lead to all pages of L.
    `readings` are shown to policies that learn about a topic; a page without a reading counts as not relevant.
    """

    graph: Graph
    is_local: BoolArray
    hosts: IntArray
    truth: FloatArray
    seeds: IntArray
    names: IntArray
    readings: Mapping[int, StoredReading] = field(default_factory=dict)

    @classmethod
    def drawn(cls, domain: LocalDomain, seed: int) -> SimulatedWeb:
        """Return the web of a domain, with its pages shuffled; the same seed gives the same order."""
        count = domain.graph.page_count
        names = generator(seed).permutation(count).astype(np.int32)
        places = np.empty(count, np.int32)
        places[names] = np.arange(count, dtype=np.int32)
        graph = Graph.from_links(places[domain.graph.sources], places[domain.graph.targets], count)
        is_local = domain.is_local[names]
        seeds = covering_seeds(graph, np.flatnonzero(is_local).astype(np.int32))
        return cls(graph, is_local, domain.hosts[names], domain.truth[names], seeds, names)

    @property
    def local_count(self) -> int:
        """The number of local pages, n."""
        return int(self.is_local.sum())


class SimulatedCrawl:
    """The state of a crawl of a stored web: what it knows so far. Mutable.

    Pages have numbers in the order of discovery.
    """

    def __init__(self, web: SimulatedWeb, policy: FrontierPolicy) -> None:
        """Start a crawl that knows no page yet."""
        self.web = web
        self.known_count = 0
        self.host_count = 0
        self._policy = policy
        self._reading_policy = policy if isinstance(policy, ReadingPolicy) else None
        self._log = LinkLog()
        size = web.graph.page_count
        self._numbers = np.full(size, -1, np.int32)  # by place in the web; -1 where it is not known
        self._places = np.empty(size, np.int32)  # by number, as all that follow
        self._depths = np.empty(size, np.int32)
        self._hosts = np.empty(size, np.int32)
        self._urgencies = np.empty(size)
        self._is_crawled = np.zeros(size, np.bool_)
        self._host_numbers: dict[int, int] = {}

    def discover_seeds(self) -> IntArray:
        """Add the seeds to the known pages, with depth 0, and return their numbers."""
        return self._discover(self.web.seeds, 0)

    def crawl_local(self) -> None:
        """Crawl the local domain from its seeds, breadth first. Pages are numbered as they are found."""
        self.discover_seeds()
        page = 0
        while page < self.known_count:
            if self.is_local(page):
                self.crawl(page)
            page += 1

    def crawl(self, page: int) -> IntArray:
        """Crawl a known page for the first time, and return the numbers of the newly discovered pages."""
        targets = self.web.graph.successors(int(self._places[page]))
        new = targets[self._numbers[targets] < 0]
        first = self.known_count
        self._number(new, int(self._depths[page]) + 1)
        outlinks = self._numbers[targets]
        self._is_crawled[page] = True
        self._log.append(page, outlinks)
        if self._reading_policy is not None:
            self._reading_policy.read(self._reading(page))
        self._policy.fetched(page, outlinks)
        return self._asked(first)

    def _reading(self, page: int) -> Reading:
        shown, host = self.web.readings.get(int(self._places[page])), self.host_of(page)
        if shown is None:
            return Reading.of_no_page(page, host)
        targets = self._numbers[shown.targets]
        hosts = np.where(targets >= 0, self._hosts[targets], -1)
        return Reading.of_page(page, host, shown.relevance, targets, hosts, shown.features)

    def known_web(self) -> Graph:
        """Return all links among the known pages; policies never see the links of frontier pages."""
        return self.web.graph.among(self._places[: self.known_count])

    def frontier(self) -> IntArray:
        """Return the pages that are known and not crawled, ascending."""
        return np.flatnonzero(~self._is_crawled[: self.known_count]).astype(np.int32)

    def urgencies(self, pages: IntArray) -> FloatArray:
        """Return how urgent the policy called these pages when they were discovered, shape (k,)."""
        return self._urgencies[pages]

    def host_of(self, page: int) -> int:
        """Return the number of a page's host. Hosts, too, are numbered in the order of discovery."""
        return int(self._hosts[page])

    def hosts_of(self, pages: IntArray) -> IntArray:
        """Return the host numbers of pages, shape (k,)."""
        return self._hosts[pages]

    def is_local(self, page: int) -> bool:
        """Return whether a page is local."""
        return bool(self.web.is_local[self._places[page]])

    @property
    def crawled_count(self) -> int:
        """The number of crawled pages."""
        return self._log.page_count

    def crawled_pages(self) -> IntArray:
        """Return the crawled pages, numbered as in the stored graph, in the order of their visits."""
        return self.places_in_graph(self.snapshot().order)

    def places_in_graph(self, pages: IntArray) -> IntArray:
        """Return the numbers that known pages have in the stored graph, shape (k,)."""
        return self.web.names[self._places[pages]]

    def snapshot(self) -> CrawledGraph:
        """Return the graph of what has been crawled so far."""
        is_local = self.web.is_local[self._places[: self.known_count]]
        return self._log.snapshot(is_local, self._hosts[: self.known_count].copy())

    def distances(self, crawled: CrawledGraph, estimators: Mapping[str, Estimator]) -> dict[str, RankDistance]:
        """Return, for each estimator, the distance of its estimate from the truth.

        The estimate of a local page that is not crawled yet is 0.
        """
        truth = self.web.truth[self.web.is_local]
        places = np.full(self.web.graph.page_count, -1, np.int32)
        places[self.web.is_local] = np.arange(len(truth), dtype=np.int32)
        truth = truth / truth.sum()
        measured = {}
        for name, estimator in estimators.items():
            estimate = np.zeros(len(truth))
            estimate[places[self._places[crawled.local]]] = estimator.estimate(crawled)
            measured[name] = rank_distance(estimate, truth)
        return measured

    def _discover(self, places: IntArray, depth: int) -> IntArray:
        first = self.known_count
        self._number(places, depth)
        return self._asked(first)

    def _number(self, places: IntArray, depth: int) -> None:
        found = slice(self.known_count, self.known_count + len(places))
        self._numbers[places] = np.arange(found.start, found.stop, dtype=np.int32)
        self._places[found] = places
        self._depths[found] = depth
        numbers = self._host_numbers
        hosts = self.web.hosts[places].tolist()
        self._hosts[found] = [numbers.setdefault(host, len(numbers)) for host in hosts]
        self.known_count = found.stop
        self.host_count = len(numbers)

    def _asked(self, first: int) -> IntArray:
        """Ask the policy how urgent the pages with numbers from `first` on are, and return these pages."""
        found = np.arange(first, self.known_count, dtype=np.int32)
        if len(found):
            self._urgencies[found] = self._policy.discovered(found, self._depths[first : self.known_count])
        return found


@dataclass(frozen=True, slots=True)
class Measurement:
    """The state of a crawl at one time.

    `outside` counts the crawled pages outside the local domain, and `frontier` the known pages that are not crawled.
    `distances` maps each estimator to the distance of its estimate from the truth. `seconds` is virtual time; 0 without
    a clock.
    """

    outside: int
    frontier: int
    distances: Mapping[str, RankDistance]
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """The measurements of a whole crawl.

    `local` is the number of local pages. `budget` is the requested number of outside pages; fewer are crawled if the
    frontier is exhausted. `crawled` holds the crawled pages, numbered as in the stored graph, in the order of their
    visits.
    """

    local: int
    budget: int
    is_exhausted: bool
    measurements: Sequence[Measurement]
    crawled: Sequence[int]

    @property
    def last(self) -> Measurement:
        """The measurement at the end."""
        return self.measurements[-1]


def batch_sizes(budget: int, iterations: int) -> list[int]:
    """Return the number of pages of each iteration, as equal as possible. Iterations without pages are left out."""
    ends = [budget * (step + 1) // iterations for step in range(iterations)]
    sizes = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    return [size for size in sizes if size]


def find_global_pagerank(
    web: SimulatedWeb,
    policy: FrontierPolicy,
    estimators: Mapping[str, Estimator],
    *,
    budget: int,
    iterations: int,
    is_measured_throughout: bool = True,
) -> SimulationResult:
    """Run FindGlobalPR(L, T, k) with T = iterations and T·k = budget outside pages.

    A policy without refresh orders pages by the urgency that they got at discovery; ties are in the order of discovery.
    With `is_measured_throughout`, the state is measured before the first iteration and after each; otherwise only after
    the last.
    """
    crawl = SimulatedCrawl(web, policy)
    crawl.crawl_local()
    local = crawl.crawled_count
    measurements = list[Measurement]()

    def measure() -> None:
        distances = crawl.distances(crawled, estimators)
        measurements.append(Measurement(crawl.crawled_count - local, len(frontier), distances))

    crawled, frontier = crawl.snapshot(), crawl.frontier()
    for batch in batch_sizes(budget, iterations):
        if is_measured_throughout:
            measure()
        if not len(frontier):
            break
        for page in most_urgent(crawl, policy, crawled, frontier, batch).tolist():
            crawl.crawl(page)
        crawled, frontier = crawl.snapshot(), crawl.frontier()
    if not measurements or measurements[-1].outside != crawl.crawled_count - local:
        measure()
    outside = crawl.crawled_count - local
    return SimulationResult(local, budget, outside < budget, measurements, crawl.crawled_pages().tolist())


def most_urgent(
    crawl: SimulatedCrawl, policy: FrontierPolicy, crawled: CrawledGraph, frontier: IntArray, batch: int
) -> IntArray:
    """Return up to `batch` pages of the frontier, the most urgent first.

    Raises ValueError if the policy's urgencies have the wrong shape or contain a NaN.
    """
    refreshes = policy.needs_refresh
    urgencies = policy.begin_refresh(crawled, frontier, batch)() if refreshes else crawl.urgencies(frontier)
    if urgencies.shape != frontier.shape or np.isnan(urgencies).any():
        raise ValueError(
            f"the policy must give an urgency for each of {len(frontier)} pages; it gave shape {urgencies.shape},"
            f" {np.isnan(urgencies).sum()} of them NaN"
        )
    return frontier[np.argsort(-urgencies, kind="stable")[:batch]]
