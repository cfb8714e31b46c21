"""Carries out the tasks at hosts that are not visits to pages: lookups, robots.txt, and probes.

A probe is a request that only tests whether a host answers.
"""

from __future__ import annotations

from functools import partial
from math import inf

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.flow.flow import SLOW_LOOKUP
from hinterland.crawler.fetching.flow.lookup_record import LookupAnswer
from hinterland.crawler.fetching.names.resolver import NamedAddress
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_after import asked_to_wait
from hinterland.crawler.fetching.robots.answers import RobotsUnread, moved_to, read_robots
from hinterland.crawler.fetching.robots.rules import MAX_BYTES, robots_url
from hinterland.crawler.fetching.verdicts import judge
from hinterland.crawler.frontier.visits import HostTaskKind, RobotsKnown, RobotsMoved, RobotsUnreachable, Visit
from hinterland.crawler.loop.crawl_io import CrawlIO, Schedule
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.failure_attribution import FailureAttribution
from hinterland.crawler.loop.decisions.visit_records import kept_sitemaps
from hinterland.crawler.loop.visits import Visits
from hinterland.crawler.settings import Settings
from hinterland.storage.values.records import RobotsRecord

_ASKED_ONLY = BodyLimits(frozenset(), 0)
"""The body limits of a probe: no body is read."""


class HostTasks:
    """Carries out tasks at hosts."""

    def __init__(
        self,
        components: CrawlComponents,
        io: CrawlIO,
        visits: Visits,
        crawl_state: CrawlState,
        attribution: FailureAttribution,
        settings: Settings,
        schedule: Schedule,
    ) -> None:
        """`schedule` is called whenever further visits may begin."""
        self._components = components
        self._frontier = components.frontier
        self._io = io
        self._visits = visits
        self._crawl_state = crawl_state
        self._attribution = attribution
        self._settings = settings.robots
        self._max_decoded_bytes = settings.fetching.max_body_bytes
        self._limits = BodyLimits(None, MAX_BYTES, cut=True)
        self._schedule = schedule

    async def carry_out(self, visit: Visit) -> None:
        """Carry out one task; return once its result is committed.

        An unexpected error here counts as a failure of the host, unless it concerns the whole crawl.
        """
        try:
            await self._carried_out(visit)
        except Exception as error:
            if self._visits.must_end_crawl(error, self._crawl_state):
                raise
            await self._give_up(visit, error)

    async def _give_up(self, visit: Visit, error: Exception) -> None:
        task, frontier, now = visit.host_task, self._frontier, self._io.now()
        assert task is not None
        where = task.url or f"{self._components.known.host_urls[task.owner]} ({task.kind.name.lower()})"
        reason = self._crawl_state.internal_errors.note(where, visit.host, error)
        self._crawl_state.tally.host_failures[OutcomeKind.INTERNAL_ERROR] += 1
        if (of_feature := self._components.features.runner_of(task.asker)) is not None:
            of_feature.give_up(visit, now)
        if frontier.is_under_way(visit):
            if task.kind is HostTaskKind.ROBOTS:
                frontier.robots_fetched(visit, RobotsUnreachable(was_heard=True), now, 0.0)
            else:
                frontier.failed(visit, now)
        self._schedule()
        error_of_host = f"{OutcomeKind.INTERNAL_ERROR}: {reason}"
        await self._io.writer.submit(self._crawl_state.host_state(task.owner, error_of_host))

    async def _carried_out(self, visit: Visit) -> None:
        assert visit.host_task is not None
        match visit.host_task.kind:
            case HostTaskKind.RESOLVE:
                await self._resolve(visit)
            case HostTaskKind.PROBE:
                await self._probe(visit, visit.host_task.page)
            case HostTaskKind.ROBOTS:
                await self._fetch_robots(visit)
            case _:
                runner = self._components.features.runner_of(visit.host_task.asker)
                assert runner is not None, "the feature queued the task"
                await runner.carry_out(visit)

    # ---------------------------------------------------------------- address

    async def _resolve(self, visit: Visit) -> None:
        flow, now = self._io.flow, self._io.now()
        flow.looks_up(visit.host, now)
        slow = self._io.now.call_at(now + SLOW_LOOKUP, partial(self._lookup_is_slow, visit))
        try:
            found = await self._visits.guarded(visit, self._look_up(visit.host))
        finally:
            slow.cancel()
            flow.ends(visit)
        now = self._io.now()
        flow.looked_up(visit.host, _answer_of(found), now)
        if isinstance(found, NoAnswer):
            record = self._attribution.look_up_failed(visit, found, now)
            self._schedule()
            await self._io.writer.submit(record)
            return
        if found is None:
            self._frontier.resolved(visit, None, now)
            return
        self._crawl_state.resolved(visit.host, found.address)
        self._frontier.resolved(visit, found.address, now, until=found.until)

    def _lookup_is_slow(self, visit: Visit) -> None:
        """Free the place of a slow lookup, so that other lookups need not wait for it."""
        self._io.flow.ends(visit)
        self._schedule()

    async def _look_up(self, host: int, *, is_fresh: bool = False) -> NamedAddress | NoAnswer | None:
        fetcher = self._io.fetcher
        lookups = fetcher.lookups
        found = await fetcher.resolve(self._components.known.host_urls[host], is_fresh=is_fresh)
        if fetcher.lookups != lookups:
            self._components.network.looked_up()
        return found

    # ---------------------------------------------------------------- does it answer?

    async def _probe(self, visit: Visit, page: int) -> None:
        """Test whether a host answers: request `page`, which it has answered before, or robots.txt if `page` is -1."""
        answer: Answer | NoAnswer | None = None
        guarded = self._visits.guarded
        if page >= 0:
            url = await self._visits.url_of(visit, page)
        else:
            found = await guarded(visit, self._look_up(visit.host, is_fresh=True))
            answer = found if isinstance(found, NoAnswer) else None
            url = robots_url(self._components.known.host_urls[visit.host])
        if answer is None:
            answer = await self._visits.fetched(visit, url, _ASKED_ONLY)
            if answer is None:
                self._schedule()
                return
        self._crawl_state.tally.probes += 1
        verdict = judge(answer, url, self._components.canonicaliser)
        records = self._attribution.probe_answered(visit, verdict, answer, self._io.now())
        self._schedule()
        await self._io.writer.submit(*records)

    # ---------------------------------------------------------------- robots.txt

    async def _fetch_robots(self, visit: Visit) -> None:
        task = visit.host_task
        assert task is not None
        url = task.url or robots_url(self._components.known.host_urls[task.owner])
        answer = await self._visits.fetched(visit, url, self._limits)
        if answer is None:
            self._schedule()
            return
        self._crawl_state.tally.robots_fetched += 1
        now = self._io.now()
        self._attribution.heard(visit.host, answer, now)
        if await self._follow_robots(visit, url, answer, now):
            return
        read = read_robots(answer, max_decoded_bytes=self._max_decoded_bytes)
        if isinstance(read, RobotsUnread):
            await self._note_unread(visit, answer, read, now)
            return
        assert isinstance(answer, Answer)
        robots, owner = self._components.robots, task.owner
        robots.remember(owner, read.text)
        rules = await self._visits.rules_of(visit, owner)
        delay = rules.granted_delay(self._settings.max_crawl_delay_seconds)
        self._components.features.robots_read(self._components.known.host_urls[task.owner], rules.sitemaps, now)
        until = now + self._settings.max_age_seconds
        self._frontier.robots_fetched(visit, RobotsKnown(until, delay), now, answer.seconds)
        self._schedule()
        sitemaps, left_out = kept_sitemaps(rules.sitemaps)
        written = self._io.writer.submit(
            RobotsRecord(
                host=owner,
                status=answer.status,
                fetched_at=now,
                expires_at=until,
                text=read.text,
                crawl_delay=rules.crawl_delay,
                sitemaps=sitemaps,
                sitemaps_left_out=left_out,
            ),
            self._crawl_state.host_state(visit.host, None),
        )
        await written
        robots.written(owner, read.text)

    async def _note_unread(self, visit: Visit, answer: Answer | NoAnswer, read: RobotsUnread, now: float) -> None:
        assert visit.host_task is not None
        self._crawl_state.tally.host_failures[read.kind] += 1
        result = RobotsUnreachable(asked_to_wait(answer, now), was_heard=isinstance(answer, Answer))
        self._frontier.robots_fetched(visit, result, now, answer.seconds)
        self._schedule()
        await self._io.writer.submit(
            self._crawl_state.host_state(visit.host_task.owner, f"robots.txt: {read.detail}"),
            self._crawl_state.host_state(visit.host, None),
        )

    async def _follow_robots(self, visit: Visit, url: str, answer: Answer | NoAnswer, now: float) -> bool:
        """Redirect the task to the new URL of a robots.txt that has moved; return False if it has not moved."""
        assert visit.host_task is not None
        target = moved_to(answer, url, self._components.canonicaliser, redirects=visit.host_task.redirects)
        if target is None:
            return False
        host, discovery = self._crawl_state.host_named(target)
        self._frontier.robots_fetched(visit, RobotsMoved(host, target), now, answer.seconds)
        self._schedule()
        await self._io.writer.submit(discovery, self._crawl_state.host_state(visit.host, None))
        return True


def _answer_of(found: NamedAddress | NoAnswer | None) -> LookupAnswer | None:
    """Return how a lookup ended, for the flow; None if no lookup was needed."""
    if isinstance(found, NoAnswer):
        if found.kind is OutcomeKind.FORBIDDEN_ADDRESS:
            return None if found.is_final else LookupAnswer.FOUND
        if found.is_silence:
            return LookupAnswer.SILENT
        return LookupAnswer.FAILED if found.is_ours else LookupAnswer.DEAD
    return None if found is None or found.until == inf else LookupAnswer.FOUND
