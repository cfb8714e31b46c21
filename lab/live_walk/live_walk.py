"""A random walk over the live web. It requests each page that it reaches, and continues after the visit. Pure.

As in any crawl, a page is visited only once. When the walk returns to the page, its links are already known.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import pagerank
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_rules import RETRY_RULES
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, PagesFound
from hinterland.lab.live_walk.on_demand import OnDemandFrontier
from hinterland.lab.walks.sampling import PageSample, Plan, SamplingMethod, sampling
from hinterland.lab.walks.walk import Walk
from hinterland.storage.values.records import Record

IntArray = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LiveSample:
    """The result of a live walk, over the HTML pages that were fetched.

    `pages` maps page numbers of the sample to page numbers of the store, shape (n,). `degrees` is the number of
    neighbours of each page at the end, 0 for pages that were not visited. `retried` counts the pages that failed and
    were retried. `lost` counts the pages that failed in the end; they count as pages without links.
    """

    sample: PageSample
    pages: IntArray
    degrees: IntArray
    retried: int
    lost: int


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """How to walk, and the function that receives the sample at the end.

    `start` is a canonical URL. If it is None, the walk starts at the first known page.
    """

    method: SamplingMethod
    plan: Plan
    seed: int
    start: str | None
    deliver: Callable[[LiveSample], None]


class LiveWalk(Feature):
    """A random walk over the pages that a crawl would visit: local, and found by links that may be followed. Mutable.

    The walk waits for a page that fails, which is retried as in any crawl. The page counts as a page without links if
    it fails in the end, or if it can be retried only after more than `patience_seconds`. The inlinks of a page are the
    links that the store knows and the links that this walk has seen.
    """

    def __init__(
        self,
        request: WalkRequest,
        known: KnownPages,
        frontier: OnDemandFrontier,
        now: Callable[[], float],
        patience_seconds: float,
    ) -> None:
        """Start a walk that has taken no step. `patience_seconds` is the longest wait for a retry."""
        self._request = request
        self._known = known
        self._frontier = frontier
        self._now = now
        self._patience = patience_seconds
        self._pages: list[int] = []
        self._places: dict[int, int] = {}
        self._outlinks: dict[int, IntArray] = {}
        self._inlinks: dict[int, list[int]] = {}
        self._neighbours: dict[int, tuple[int, IntArray]] = {}
        self._settled = set[int]()
        self._fetched = set[int]()
        self._retried = set[int]()
        self._lost = set[int]()
        self._walk: Walk | None = None
        self._method: Generator[int, IntArray, PageSample] | None = None
        self._path: list[int] = []
        self._asked = 0
        self._wanted: int | None = None
        self.is_over = False

    # ---------------------------------------------------------------- what is known

    def restore(self, crawled: CrawledGraph, fetched: Sequence[int]) -> None:
        """Restore the links and fetched pages of earlier runs. Call this after the frontier was restored."""
        start = 0
        for page, end in zip(crawled.order.tolist(), crawled.ends.tolist(), strict=True):
            self._settled.add(page)
            self.links_read(page, crawled.targets[start:end])
            start = end
        self._fetched.update(fetched)
        local = crawled.order[crawled.is_local[crawled.order]]
        for page in sorted({*local.tolist(), *self._frontier.aside()}):
            self._add(page)

    def discovered(self, found: PagesFound) -> None:
        """Add pages that the crawl has accepted."""
        for page in found.discoveries.admitted:
            self._add(page)

    def links_read(self, page: int, outlinks: IntArray) -> None:
        """Record the distinct pages that a page links to."""
        self._outlinks[page] = outlinks.copy()
        for target in outlinks.tolist():
            self._inlinks.setdefault(target, []).append(page)

    def visited(self, ended: Ended) -> None:
        """Record the outcome of a visit."""
        self._visited(ended.page, ended.verdict.kind, is_final=ended.is_final)

    def settled(self, page: int, kind: OutcomeKind, now: float, *, is_revisit: bool) -> list[Record]:
        """Record the final outcome of a page, after which it is not retried."""
        self._visited(page, kind, is_final=True)
        return []

    def _visited(self, page: int, kind: OutcomeKind, *, is_final: bool) -> None:
        if not is_final:
            self._retried.add(page)
            return
        self._settled.add(page)
        self._neighbours.pop(page, None)
        self._lost.discard(page)
        if kind is OutcomeKind.FETCHED:
            self._fetched.add(page)
        elif kind in RETRY_RULES.listed:
            self._lost.add(page)
        if page == self._wanted:
            self._wanted = None

    def _add(self, page: int) -> None:
        if page not in self._places:
            self._places[page] = len(self._pages)
            self._pages.append(page)

    # ---------------------------------------------------------------- what is to be done

    @property
    def can_go_on(self) -> bool:
        """Whether the walk can take a step now. It cannot while it waits for a page."""
        return self._wanted is None and not self.is_over

    def wants_upkeep(self, *, is_idle: bool, seconds: float) -> bool:
        """Return True while the walk is not over, so that the crawl does not end before.

        If the crawl is idle for longer than `patience_seconds`, stop waiting for the requested page; it counts as lost.
        """
        if is_idle and seconds > self._patience and self._wanted is not None:
            self._settled.add(self._wanted)
            self._lost.add(self._wanted)
            self._wanted = None
        return not self.is_over

    def advance(self, steps: int) -> None:
        """Take up to `steps` steps; stop earlier if a page must be visited first, or if the walk is over."""
        if self._walk is None and not self._begin():
            return
        assert self._walk is not None
        for _ in range(steps):
            place = self._walk.page
            if not self._is_settled(place):
                return
            self._path.append(self._walk.step(self._row(place)))
            if len(self._path) == self._asked:
                self._hand_in()
                if self.is_over:
                    return

    def _begin(self) -> bool:
        start = self._request.start
        page = self._known.find(start) if start is not None else self._pages[0] if self._pages else None
        place = None if page is None else self._places.get(page)
        if place is None:
            self.is_over = True
            return False
        request = self._request
        self._walk = Walk(request.method.rule, place, request.seed, lambda: len(self._pages))
        self._method = sampling(request.method, request.plan, request.seed, self._stationary)
        self._asked = next(self._method)
        return True

    def _is_settled(self, place: int) -> bool:
        page = self._pages[place]
        if page not in self._settled:
            if self._frontier.ask_for(page, self._now()):
                self._wanted = page
                return False
            self._settled.add(page)  # an earlier run visited it, and it has no links
        return True

    def _hand_in(self) -> None:
        assert self._method is not None
        path, self._path = np.array(self._path, np.int32), []
        try:
            self._asked = self._method.send(path)
        except StopIteration as end:
            self.is_over = True
            pages = np.array(self._pages, np.int32)
            is_fetched = np.fromiter((page in self._fetched for page in self._pages), np.bool_, len(pages))
            degrees = np.zeros(len(pages), np.int32)
            degrees[end.value.visited] = [len(self._row(place)) for place in end.value.visited.tolist()]
            self._request.deliver(
                LiveSample(end.value.only(is_fetched), pages, degrees, len(self._retried), len(self._lost))
            )

    def _row(self, place: int) -> IntArray:
        """Return the neighbours of a page, ascending, by the page numbers of the walk."""
        page = self._pages[place]
        others = self._inlinks.get(page, ()) if self._request.method.rule.both_ways else ()
        kept = self._neighbours.get(page)
        if kept is not None and kept[0] == len(others):
            return kept[1]
        pages = {*self._outlinks.get(page, np.empty(0, np.int32)).tolist(), *others} - {page}
        row = np.array(sorted(self._places[each] for each in pages if each in self._places), np.int32)
        self._neighbours[page] = len(others), row
        return row

    def _stationary(self, places: IntArray) -> NDArray[np.float64]:
        """Return π of distinct pages, multiplied by an unknown factor, from the links known at the end."""
        rows = [self._row(place) for place in places.tolist()]
        match self._request.method.stationary:
            case "degree":
                return np.array([len(row) + 1.0 for row in rows])
            case "pagerank":
                sources = np.repeat(places, [len(row) for row in rows])
                graph = Graph.from_links(sources, np.concatenate(rows), len(self._pages))
                return pagerank(graph.among(places), damping=1 - self._request.method.rule.jump)
            case _:
                return np.ones(len(places))
