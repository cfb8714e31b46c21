"""The feature of the crawl loop that revisits stored pages, once or by a schedule."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.paced_frontier import PacedFrontier
from hinterland.crawler.features.recrawl.policies import make_revisit_policy
from hinterland.crawler.features.recrawl.revisit_outcomes import RevisitOutcomes
from hinterland.crawler.features.recrawl.revisit_planner import RevisitPlanner
from hinterland.crawler.features.recrawl.revisit_statistics import RevisitStatistics
from hinterland.crawler.features.recrawl.revisiting import Revisiting, VersionsInStore
from hinterland.crawler.features.recrawl.revisits import Revisits
from hinterland.crawler.features.recrawl.schedule import RevisitSchedule
from hinterland.crawler.features.recrawl.settings import RevisitSettings
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.validators import Validators
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.crawl_io import Schedule
from hinterland.crawler.loop.crawl_start import CrawlRequest, CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.closed_visits import Closed
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, RevisitOfPage, UpkeepJob
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.parsing.messages import EarlierPage, PageDigest
from hinterland.crawler.plugins.kinds import REVISIT_POLICY, PluginKind
from hinterland.crawler.settings import Settings
from hinterland.storage.values.history import StoredVersion
from hinterland.storage.values.records import Record

BEFORE_NEW_PAGES: Final = 1e6
"""Added to the urgencies of revisits, so that pages that users can already see become current first."""


class Recrawl(Feature):
    """Revisits stored pages, each once or as a planner says."""

    visits_when_full = True
    mostly_revisits = True

    def __init__(
        self,
        revisits: Revisits,
        known: KnownPages,
        frontier: Frontier,
        planner: RevisitPlanner | None = None,
        seconds: float | None = None,
    ) -> None:
        """Revisit the pages in `revisits` at the times that `planner` chooses; without a planner, revisit each once.

        The crawl ends after `seconds`, or earlier if nothing is left to do.
        """
        self.revisits = revisits
        self._known = known
        self._frontier = frontier
        self._planner = planner
        self._seconds = seconds
        self._jobs: Sequence[UpkeepJob] = ()

    def open(self, workings: Workings) -> None:
        """Connect to the crawl, and prepare the job that learns change rates."""
        self._outcomes = RevisitOutcomes(self.revisits, workings.components, workings.crawl_state, workings.io.now)
        self._bodies = workings.io.bodies
        self._now = workings.io.now
        if self._planner is not None:
            self._jobs = [LearnRates(self._planner, workings.io.now, workings.schedule)]

    def join(self, crawl: Crawl) -> None:
        """Keep the crawl, so that it can be ended in time."""
        self._crawl = crawl

    async def beside(self) -> None:
        """End the crawl when its time is up."""
        if self._seconds is not None:
            over = asyncio.Event()
            self._now.call_at(self._now() + self._seconds, over.set)
            await over.wait()
            self._crawl.stop(EndReason.TIME_UP)

    def jobs(self) -> Sequence[UpkeepJob]:
        """Return the job that learns change rates, if there is a planner."""
        return self._jobs

    @property
    def read_ahead(self) -> int:
        """How many pages of a host to read ahead."""
        return self.revisits.read_ahead

    def adds_no_page(self, page: int) -> bool:
        """Return whether a visit to the page would be a revisit, which adds no page to the store."""
        return self.revisits.is_revisit(page)

    async def revisit(self, visit: Visit) -> RevisitOfPage | None:
        """Return how to carry out the revisit of a stored page; None for a page that is not stored."""
        revisits, page = self.revisits, visit.page
        if not revisits.is_revisit(page):
            return None
        if (stored := revisits.version_at_hand(page)) is None:
            stored = await revisits.version(page, self._frontier.upcoming(visit.host, revisits.read_ahead))
        return PageRevisit(stored, self._outcomes, revisits, keeps_all_bodies=self._bodies.keeps_all)

    def visited(self, ended: Ended) -> None:
        """Record the first visit to a page."""
        if not ended.is_revisit and ended.is_final:
            ended.before += self.revisits.read_first(ended.page, ended.visit.host, ended.verdict.kind, ended.now)

    def settled(self, page: int, kind: OutcomeKind, now: float, *, is_revisit: bool) -> list[Record]:
        """Record that a page was given up after its last visit had ended."""
        host = self._known.host_of(page)
        if is_revisit:
            return [*self.revisits.failed(page, host, now)]
        self.revisits.read_first(page, host, kind, now)
        return []

    def statistics(self, now: float, waiting: int) -> dict[str, RevisitStatistics]:
        """Return the statistics of revisits."""
        return {"revisits": self.revisits.statistics(now)}


class PageRevisit:
    """One revisit of a stored page. Mutable: keeps the targets of the stored version's links, once read."""

    def __init__(
        self, stored: StoredVersion, outcomes: RevisitOutcomes, revisits: Revisits, *, keeps_all_bodies: bool
    ) -> None:
        """Revisit a page whose stored version is `stored`."""
        self._stored = stored
        self._outcomes = outcomes
        self._revisits = revisits
        self._keeps_all_bodies = keeps_all_bodies
        self._led_to = frozenset[int]()

    @property
    def validators(self) -> Validators | None:
        """The validators to send for a conditional request; None if the whole page is needed."""
        stored = self._stored
        lacks_body = self._keeps_all_bodies and stored.outcome == OutcomeKind.FETCHED and not stored.has_body
        return Validators(stored.etag, stored.last_modified) if stored.is_read and not lacks_body else None

    async def earlier(self) -> EarlierPage | None:
        """Return the stored version for comparison, None if there is none."""
        stored = self._stored
        if stored.body_hash is None:
            return None
        text = await self._revisits.store.text(stored.page)
        keeps_text = self._revisits.settings.keep_texts > 0
        return EarlierPage(stored.body_hash, stored.title or "", text, keeps_text, not stored.has_body)

    async def read(self, digest: PageDigest | None) -> None:
        """Read the links of the stored version from the store if a new version was read."""
        if digest is not None and digest.page is not None:
            self._led_to = await self._revisits.store.targets(self._stored.page)

    def closed(self, closed: Closed) -> list[Record]:
        """Apply the outcome of the revisit to the crawl; return the records for the store."""
        return self._outcomes.closed(closed, self._stored, self._led_to)


class LearnRates:
    """The job that recomputes how often pages change, and when each page is due."""

    is_pressing = False  # an hour more or less makes no difference

    def __init__(self, planner: RevisitPlanner, now: Callable[[], float], schedule: Schedule) -> None:
        """Learn rates for `planner`; call `schedule` once the new times are installed."""
        self._planner = planner
        self._now = now
        self._schedule = schedule

    @property
    def is_due(self) -> bool:
        """Whether rates should be learnt again now."""
        return self._planner.is_learning_due(self._now())

    async def run(self) -> None:
        """Learn rates in another thread, and install the result."""
        self._planner.learnt(await asyncio.to_thread(self._planner.begin_learning(self._now())))
        self._schedule()


class RecrawlFactory(FeatureFactory):
    """Adds revisits to crawls that are asked for them."""

    counters = ("revisits",)

    def plugins(self, settings: Settings) -> Sequence[tuple[PluginKind, str]]:
        """Return the revisit policy that the settings name."""
        return [(REVISIT_POLICY, settings.of(RevisitSettings).policy)]

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return "recrawling", which shards do not support, if revisits are requested; else ""."""
        return "" if request.of(Revisiting) is None else "recrawling"

    def frontier_options(self, request: CrawlRequest) -> Mapping[str, Any]:
        """Return the option that lifts scope.max_pages_per_host for recrawls, because the limit counts visits."""
        return {} if request.of(Revisiting) is None else {"max_pages_per_host": None}

    def frontier(self, request: CrawlRequest, options: Mapping[str, Any]) -> PacedFrontier | None:
        """Return a frontier with a schedule for the budget in visits per second; None without a budget."""
        revisiting = request.of(Revisiting)
        if revisiting is None or revisiting.budget is None:
            return None
        settings, budget = request.settings.of(RevisitSettings), revisiting.budget
        shortest = settings.shortest_hours * 3_600
        bounds = Bounds(shortest, max(settings.longest_days * 86_400, shortest))
        schedule = RevisitSchedule(make_revisit_policy(settings.policy), budget, bounds)
        return PacedFrontier(request.settings.politeness, schedule, budget=budget, **options)

    async def make(self, start: CrawlStart) -> Recrawl | None:
        """Return the feature, and queue or schedule the revisits of all pages that were visited.

        Without a budget, each page that was last visited long enough ago is queued once, in the order of stored ranks.
        """
        revisiting, core = start.request.of(Revisiting), start.core
        if revisiting is None:
            return None
        settled = await start.store.ask(lambda stored: stored.history.settled())
        pages, planner = np.array(settled.pages, np.int32), None
        hosts = core.known.hosts()[pages]
        if isinstance(core.frontier, PacedFrontier) and revisiting.budget is not None:
            planner = RevisitPlanner(core.frontier, revisiting.budget)
            signals = await start.store.ask(lambda stored: stored.history.signals())
            await asyncio.to_thread(planner.begin, settled, hosts, signals, start.now())
        else:
            ranks = np.array(settled.ranks)
            if revisiting.older_than:
                is_old = np.array(settled.visited_at) <= start.now() - revisiting.older_than
                pages, hosts, ranks = pages[is_old], hosts[is_old], ranks[is_old]
            core.frontier.add(pages, hosts, ranks + BEFORE_NEW_PAGES, start.now())
        revisits = Revisits(start.settings.of(RevisitSettings), VersionsInStore(start.store), pages.tolist(), planner)
        return Recrawl(revisits, core.known, core.frontier, planner, revisiting.seconds)
