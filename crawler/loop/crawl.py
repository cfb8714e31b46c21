"""The crawl itself: concurrent visits, and the tasks that run alongside them.

There are two nested scopes, both opened in `Crawl.run`: the writer outlives the visits, so everything fetched is
written. Each visit is a task of its own. It occupies one of the places for open requests (`fetching.flow`) until its
answer has arrived, and ends once its result is committed. At most fetching.max_in_flight visits are under way, which
bounds how many pages must be fetched again after a kill -9. Host names are looked up ahead of the visits.

What a visit changes is decided in `decisions`, synchronously: everything between two awaits is atomic.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from itertools import count
from math import inf
from typing import Final, Protocol, runtime_checkable

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.fetching.answers import BodyLimits
from hinterland.crawler.fetching.flow.crawl_limits import LimitWatch
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.pages.depths import FollowedLinks
from hinterland.crawler.frontier.visits import Visit, Wait
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray
from hinterland.crawler.loop.commits import Commits
from hinterland.crawler.loop.crawl_io import CrawlIO, Timer
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.failure_attribution import FailureAttribution
from hinterland.crawler.loop.decisions.moments import UpkeepJob
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from hinterland.crawler.loop.host_tasks import HostTasks
from hinterland.crawler.loop.load_samples import sample_of
from hinterland.crawler.loop.page_visits import PageVisits
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.loop.upkeep import Compact, RefreshOrder, RelaxDepths, Upkeep
from hinterland.crawler.loop.visits import Visits
from hinterland.crawler.loop.workings import UsesWorkings, Workings
from hinterland.crawler.parsing.documents.reading import accepted
from hinterland.crawler.settings import Settings
from hinterland.storage.values.records import DiscoveriesRecord, Record

_LOG = logging.getLogger(__name__)
_LEAST_PAUSE: Final = 0.01  # seconds of this machine between two checks of the upkeep
_TICK: Final = 0.1  # seconds between two measurements of how late the event loop is
STOP_SECONDS: Final = 10.0
"""How long a crawl that is stopped waits until its fetched pages are parsed. One page may take half a minute, and other
pages may be queued behind it. Pages not parsed by then are fetched again by the next run."""
_SAMPLED: Final = 5  # ticks between two samples of what bounds the crawl


@runtime_checkable
class JoinsCrawl(Protocol):
    """A feature that acts on the crawl from outside the visits, such as by stopping it."""

    def join(self, crawl: Crawl) -> None:
        """Take the crawl; this is called before anything else happens."""
        ...


class Crawl:
    """One run of the crawler over a prepared frontier."""

    def __init__(
        self,
        settings: Settings,
        components: CrawlComponents,
        io: CrawlIO,
        *,
        crawl_state: CrawlState,
        max_pages: int | None = None,
        log: LinkLog | None = None,
        followed_links: Callable[[], Awaitable[FollowedLinks]] | None = None,
        preparation: Preparation | None = None,
    ) -> None:
        """Connect the parts of the crawl; nothing runs yet.

        `max_pages` limits the HTML pages in the store at the end of the crawl; None means no limit. `log` holds all
        links, for policies that refresh their ranking, and `preparation` compiles the code that ranks. `followed_links`
        reads all committed links; it is given if there is a depth limit.
        """
        self._settings = settings
        self._components = components
        self._features = components.features
        self._io = io
        self.preparation = preparation or Preparation()
        self._crawl_state = crawl_state
        self._upkeep = Upkeep(max(settings.policy.refresh_seconds / io.now.speed, _LEAST_PAUSE))
        self._dispatch = Dispatch(
            components,
            self._crawl_state,
            max_pages=max_pages,
            max_retry_wait_seconds=settings.politeness.max_retry_wait_seconds,
            has_depth_limit=followed_links is not None,
            wake_upkeep=self._upkeep.wake,
        )
        attribution = FailureAttribution(
            components, self._crawl_state, settings.politeness, _LOG.warning, io.writer.submit
        )
        fetching, schedule, visits = settings.fetching, self._schedule, Visits(components, io)
        limits = BodyLimits(accepted(fetching.content_types, fetching.documents), fetching.max_body_bytes)
        self._commits = Commits(io.writer, components.known, components.urls, schedule)
        self._page_visits = PageVisits(
            components=components,
            io=io,
            visits=visits,
            crawl_state=self._crawl_state,
            attribution=attribution,
            limits=limits,
            commits=self._commits,
            schedule=schedule,
        )
        self._host_tasks = HostTasks(
            components=components,
            io=io,
            visits=visits,
            crawl_state=self._crawl_state,
            attribution=attribution,
            settings=settings,
            schedule=schedule,
        )
        workings = Workings(
            settings=settings,
            components=components,
            io=io,
            crawl_state=crawl_state,
            dispatch=self._dispatch,
            attribution=attribution,
            visits=visits,
            preparation=self.preparation,
            limits=limits,
            commits=self._commits,
            schedule=schedule,
        )
        for feature in self._features.all:
            if isinstance(feature, UsesWorkings):
                feature.open(workings)
        self._upkeep.jobs = self._jobs(log, followed_links)
        self.preparation.when_ready = self._prepared
        self._started = io.now()
        if io.host_slots is not None:
            io.host_slots.open(
                self._number_of, self._host_tasks.carry_out, self._slot_released, self._begin_if_open, schedule
            )
        self._max_visits = fetching.max_in_flight
        self._visits_under_way = 0  # including lookups
        self._lookups_under_way = 0
        self._limits = LimitWatch()
        self._scope: asyncio.TaskGroup | None = None
        self._over: asyncio.Future[None] | None = None
        self._timer: Timer | None = None
        self._stopping: asyncio.TimerHandle | None = None
        self._is_scheduled = False
        for feature in self._features.all:
            if isinstance(feature, JoinsCrawl):
                feature.join(self)

    def _jobs(
        self, log: LinkLog | None, followed_links: Callable[[], Awaitable[FollowedLinks]] | None
    ) -> list[UpkeepJob]:
        """Return the upkeep jobs, the most important first."""
        components, io, crawl_state, dispatch = self._components, self._io, self._crawl_state, self._dispatch
        schedule, policy = self._schedule, self._settings.policy
        jobs: list[UpkeepJob] = []
        if followed_links is not None:
            jobs.append(RelaxDepths(components, io, crawl_state, dispatch, followed_links, schedule))
        jobs += self._features.jobs()
        if log is not None and components.policy.needs_refresh and not self._features.replace_policy:
            jobs.append(
                RefreshOrder(
                    components=components,
                    io=io,
                    crawl_state=crawl_state,
                    log=log,
                    settings=policy,
                    preparation=self.preparation,
                    schedule=schedule,
                )
            )
        return [*jobs, Compact(components, io, schedule)]

    def _prepared(self) -> None:
        self._upkeep.wake()
        self._schedule()

    # ---------------------------------------------------------------- the run

    async def run(self) -> EndReason:
        """Crawl until there is a reason to end; return the reason.

        Raises errors that are not the web's fault, such as bugs or a failing disk.
        """
        writer = self._io.writer
        async with asyncio.TaskGroup() as outer:
            writing = outer.create_task(writer.run())
            try:
                if records := self._features.begin(self._io.now()):
                    writer.submit(*records)
                await self._carry_out_all()
                await self._features.finish()
            finally:
                for timer in (self._timer, self._stopping):
                    if timer is not None:
                        timer.cancel()
                writer.close()
                await asyncio.wait([writing])
        return self._dispatch.reason or EndReason.STOPPED

    async def _carry_out_all(self) -> None:
        """Carry out visits until the crawl has a reason to end and no visit is under way."""
        self._over = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.TaskGroup() as scope:
                self._scope = scope
                beside = [scope.create_task(self._upkeep.run()), scope.create_task(self._watch_limits())]
                self._schedule()
                await self._over
                for task in beside:
                    task.cancel()
        finally:
            self._scope = None

    async def _watch_limits(self) -> None:
        """Measure how late the event loop runs and what limits the speed of the crawl, until this is cancelled."""
        loop, flow = asyncio.get_running_loop(), self._io.flow
        for tick in count():
            due = loop.time() + _TICK
            await asyncio.sleep(_TICK)
            now = self._io.now()
            flow.was_late(loop.time() - due, now)
            if tick % _SAMPLED == 0 and not self.has_ended:
                self._sample_limits(now)

    def _sample_limits(self, now: float) -> None:
        visits, most = self._visits_under_way - self._lookups_under_way, self._max_visits
        self._limits.sampled(sample_of(self._components, self._io, visits=visits, max_visits=most), now)

    def stop(self, reason: EndReason = EndReason.STOPPED) -> None:
        """Begin no more visits; `run` returns once the visits under way are finished and written. See STOP_SECONDS."""
        self._dispatch.end(reason)
        if self._stopping is None:
            self._stopping = asyncio.get_running_loop().call_later(STOP_SECONDS, self._leave_unread)
        self._schedule()

    def _leave_unread(self) -> None:
        if left := self._page_visits.leave_unread():
            text = "pages that were fetched but not parsed within %g s: %d; the next run fetches them again"
            _LOG.warning(text, STOP_SECONDS, left)

    def reconsider(self) -> None:
        """Check soon whether visits can begin, after a change outside the visits."""
        self._schedule()

    def take_up(self, brought: Callable[[], DiscoveriesRecord]) -> Coroutine[None, None, None]:
        """Add discoveries made outside the visits, immediately. The returned coroutine ends once they are stored.

        `brought` makes the discoveries and returns their record.
        """
        return self._commits(brought())

    def allow(self, max_pages: int) -> int:
        """Change the limit of HTML pages in the store; return the limit in effect.

        The limit in effect is higher than `max_pages` if the visits under way may bring more pages than that.
        """
        allowed = self._dispatch.allow(max_pages)
        self._schedule()
        return allowed

    def addresses_asked(self) -> list[str]:
        """Return the IP addresses that other shards may use, too; see Frontier.addresses_asked."""
        return self._components.frontier.addresses_asked()

    def addresses_told(self, alone: Sequence[str], shared: Sequence[str]) -> None:
        """Set which IP addresses only this shard uses (`alone`) and which are shared; see Frontier."""
        self._components.frontier.addresses_told(alone, shared)
        self._schedule()

    # ---------------------------------------------------------------- handing out visits

    def _begin(self, visit: Visit) -> None:
        assert self._scope is not None
        self._visits_under_way += 1
        self._lookups_under_way += visit.is_lookup
        self._io.flow.begins(visit)
        self._scope.create_task(self._carry_out(visit))

    def _begin_if_open(self, visit: Visit) -> None:
        """Begin a task that HostSlots has handed out, unless the crawl is over."""
        if self._scope is not None:
            self._begin(visit)

    async def _carry_out(self, visit: Visit) -> None:
        try:
            if visit.host_task is None:
                await self._page_visits.carry_out(visit)
            else:
                await self._host_tasks.carry_out(visit)
        except BaseException:
            self._scope = None  # the error ends the crawl: nothing begins any more
            raise
        finally:
            self._io.flow.ends(visit)
            self._visits_under_way -= 1
            self._lookups_under_way -= visit.is_lookup
            self._dispatch.ended(visit)
        self._schedule()

    def _schedule(self) -> None:
        """Hand out visits as soon as the current step has made all of its changes."""
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._hand_out)

    def _hand_out(self) -> None:
        self._is_scheduled = False
        self._upkeep.consider()
        self._dispatch.consider_upkeep(is_idle=False)
        if self._io.host_slots is not None:
            self._io.host_slots.hand_out()
        if self._scope is None or self._over is None or self._over.done():
            return
        try:
            self._hand_out_visits(self._io.now())
        except Exception as error:  # a bug: raised in a callback of the loop, it would go unseen
            self._over.set_exception(error)
            return
        if self._dispatch.reason is not None and not self._visits_under_way:
            self._over.set_result(None)

    def _hand_out_visits(self, now: float) -> None:
        io, dispatch = self._io, self._dispatch
        flow, lookups = io.flow, io.flow.lookups
        while self._visits_under_way - self._lookups_under_way < self._max_visits:
            if dispatch.reason is None and (io.parsers.is_saturated or io.writer.is_full):
                break  # further answers would only wait in memory
            if not flow.has_room():
                break
            said = dispatch.next(now, lookups=False)
            if isinstance(said, Wait):
                self._wake_at(said.until)
            if not isinstance(said, Visit):
                break
            self._begin(said)
        while lookups.has_free() and (lookup := dispatch.next_lookup(now)) is not None:
            self._begin(lookup)

    def _wake_at(self, until: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if until < inf:
            self._timer = self._io.now.call_at(until, self._schedule)

    def _number_of(self, url: str) -> int:
        """Return the number of a URL's host; a new host is stored first."""
        host, discovery = self._crawl_state.host_named(url)
        if discovery.new_hosts:
            self._io.writer.submit(discovery)
        return host

    def _slot_released(self, host: int) -> None:
        """Store a host's rest after a request made outside its visits."""
        self._io.writer.submit(self._crawl_state.host_state(host, None))

    # ---------------------------------------------------------------- for observers

    @property
    def has_ended(self) -> bool:
        """Whether no more visits will begin."""
        return self._dispatch.reason is not None

    @property
    def is_idle(self) -> bool:
        """Whether no visit is under way or about to begin, so that nothing happens before a timer fires."""
        return not self._visits_under_way and not self._is_scheduled

    def statistics(self) -> CrawlStatistics:
        """Return the counters of the crawl so far."""
        tally, known, frontier = self._crawl_state.tally, self._components.known, self._components.frontier.counts()
        elsewhere, now = known.elsewhere, self._io.now()
        if (down := self._components.network.seconds_down(now)) is not None:
            self._sample_limits(now)  # so that the limits agree with this figure
        return CrawlStatistics(
            seconds=now - self._started,
            policy=self._settings.policy.name,
            pages_fetched=tally.outcomes[OutcomeKind.FETCHED],
            fetched_before=self._crawl_state.fetched_before,
            max_pages=self._dispatch.max_pages,
            pages_known=len(known) - elsewhere,
            pages_local=known.local_count - elsewhere,
            visits=tally.visits,
            outcomes={kind.value: count for kind, count in tally.outcomes.most_common()},
            retries=tally.retries,
            robots_fetched=tally.robots_fetched,
            host_failures={kind.value: count for kind, count in tally.host_failures.most_common()},
            wire_bytes=tally.wire_bytes,
            body_bytes=tally.body_bytes,
            links=tally.links,
            bad_links=tally.bad_links,
            cut=dict(tally.cut.most_common()),
            refreshes=tally.refreshes,
            refresh_seconds=tally.refresh_seconds,
            parser_restarts=self._io.parsers.restarts,
            parser_backlog=self._io.parsers.backlog,
            frontier=frontier,
            network_down_seconds=down,
            probes=tally.probes,
            weather=self._limits.now(self._io.fetcher.closed_before),
            compiling_seconds=self.preparation.compiling_seconds,
            features=self._features.statistics(now, frontier.waiting),
        )

    def progress(self) -> list[Record]:
        """Return the features' records for observers of the store, which complement the statistics."""
        return self._features.progress()

    def beside(self) -> list[Coroutine[None, None, None]]:
        """Return the coroutines of features, to run alongside the visits until cancelled."""
        return self._features.beside()

    def waiting(self) -> tuple[IntArray, FloatArray]:
        """Return the waiting pages and their urgencies, shape (k,) each: copies, safe in other threads."""
        return self._components.frontier.urgencies()
