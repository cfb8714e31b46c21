"""Carries out visits to pages.

A visit fetches the page, reports the answer to the frontier, after which the host rests, parses the page, and is
closed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Final

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.validators import NO_VALIDATORS
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.commits import Commits
from hinterland.crawler.loop.crawl_io import CrawlIO, Schedule
from hinterland.crawler.loop.decisions.closed_visits import Closed
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.failure_attribution import FailureAttribution
from hinterland.crawler.loop.decisions.moments import ReadPage, RevisitOfPage
from hinterland.crawler.loop.decisions.visit_records import NumberedLinks, moved_by_field, verdict_on
from hinterland.crawler.loop.visits import Visits
from hinterland.crawler.parsing.messages import PageDigest, RawPage, Rendered
from hinterland.crawler.urls.hosts import path_of

_LARGE_BODY: Final = 32_768  # bytes as sent; nineteen of twenty pages are smaller
LINKS_AT_ONCE: Final = 4000
_MOST_UNREAD: Final = 8
"""If this many pages of a host wait to be parsed, no further page of the host is requested until one of them is parsed.
Pages that take long to parse delay each other, and one host must not fill the queue."""


class LeftUnread(Exception):
    """Raised if the crawl ends before a fetched page is parsed."""


class PageVisits:
    """Carries out visits to pages."""

    def __init__(
        self,
        components: CrawlComponents,
        io: CrawlIO,
        visits: Visits,
        crawl_state: CrawlState,
        attribution: FailureAttribution,
        limits: BodyLimits,
        commits: Commits,
        schedule: Schedule,
    ) -> None:
        """`limits` applies to the bodies of pages; `schedule` is called whenever further visits may begin."""
        self._components = components
        self._features = components.features
        self._io = io
        self._visits = visits
        self._crawl_state = crawl_state
        self._attribution = attribution
        self._limits = limits
        self._commits = commits
        self._schedule = schedule
        self._unread = Counter[int]()
        self._reading = set[asyncio.Task[None]]()
        self._leaving = asyncio.Event()

    async def carry_out(self, visit: Visit) -> None:
        """Carry out one visit; return once its result is committed.

        An unexpected error ends only this visit, unless it concerns the whole crawl.
        """
        url = await self._visits.url_of(visit, visit.page)
        revisit = await self._visits.revisit(visit)
        started, components = self._io.now(), self._components
        try:
            closed = await self._carried_out(visit, url, revisit)
        except LeftUnread:
            if components.frontier.is_under_way(visit):
                components.frontier.abandoned(visit, self._io.now())
            return
        except Exception as error:
            if self._visits.must_end_crawl(error, self._crawl_state):
                raise
            if components.frontier.is_under_way(visit):
                components.frontier.broken_off(visit, self._io.now())
            reason = self._crawl_state.internal_errors.note(url, visit.host, error)
            verdict = Verdict(OutcomeKind.INTERNAL_ERROR, reason)
            closed = Closed(visit, url, started, verdict)
        if closed is not None:
            await self._close(closed, revisit)

    def leave_unread(self) -> int:
        """Stop waiting for pages to be parsed; return how many visits this ends.

        The store gets no record of these visits.
        """
        self._leaving.set()
        for task in self._reading:
            task.cancel()
        return len(self._reading)

    async def _carried_out(self, visit: Visit, url: str, revisit: RevisitOfPage | None) -> Closed | None:
        """Carry out a visit and return how it ended; None if the page went back to the frontier."""
        components, guarded, now = self._components, self._visits.guarded, self._io.now
        rules = await self._visits.rules_of(visit, visit.host)
        started, path = now(), path_of(url)
        if not rules.allows(path):
            components.frontier.released(visit, started)
            self._schedule()  # the host need not wait until this is stored
            verdict = Verdict(OutcomeKind.ROBOTS, rules.doubt(path))
            return Closed(visit, url, started, verdict)
        if revisit is None and not self._features.begins(visit, url, started):
            components.urls.remember(visit.page, url)
            self._schedule()
            return None
        validators = None if revisit is None else revisit.validators
        answer = await self._visits.fetched(visit, url, self._limits, validators or NO_VALIDATORS)
        if answer is None:
            components.urls.remember(visit.page, url)
            self._schedule()
            return None
        verdict = moved_by_field(
            judge(answer, url, components.canonicaliser, validators), answer, url, components.canonicaliser
        )
        # A large page keeps its host busy until it is parsed, so that a flood of such pages queues at its own host, not
        # here. So does a page that may be rendered, because its host gets more requests then.
        host_slots = self._io.host_slots
        keeps_host = isinstance(answer, Answer) and (
            len(answer.body) > _LARGE_BODY or host_slots is not None or self._unread[visit.host] >= _MOST_UNREAD
        )
        if keeps_host:  # reported now: the host may no longer answer when the page is parsed
            self._attribution.heard(visit.host, answer, now())
        else:
            self._answered(visit, verdict, answer)
        digest, links, rendered = None, None, None
        if verdict.kind is OutcomeKind.FETCHED and not verdict.is_same:
            assert isinstance(answer, Answer)
            if host_slots is not None:
                components.frontier.kept(visit, now(), answer.seconds)
                self._schedule()
            reading = self._read(visit, url, answer, revisit)
            digest, links = await (guarded(visit, reading) if keeps_host else reading)
            verdict = verdict_on(digest, url, verdict.status, components.canonicaliser)
            rendered = digest.rendered
            if host_slots is not None:
                await guarded(visit, host_slots.all_released(visit.host))
                if verdict.kind is OutcomeKind.FETCHED and links is None:
                    read = ReadPage(visit, url, answer, verdict, digest, rules, is_revisit=revisit is not None)
                    verdict = await guarded(visit, self._features.judged(read))
            if verdict.kind in (OutcomeKind.REDIRECTED, OutcomeKind.SOFT_404):
                digest, links = None, None
        if keeps_host:
            self._answered(visit, verdict, answer, rendered, was_heard=True)
        read = ReadPage(visit, url, answer, verdict, digest, rules, is_revisit=revisit is not None)
        if await self._features.asks_again(read):
            self._crawl_state.not_counted(visit.page, url, answer)
            self._schedule()
            return None
        if revisit is not None:
            await revisit.read(digest)
        return Closed(visit=visit, url=url, started=started, verdict=verdict, answer=answer, digest=digest, links=links)

    def _answered(
        self,
        visit: Visit,
        verdict: Verdict,
        answer: Answer | NoAnswer,
        rendered: Rendered | None = None,
        *,
        was_heard: bool = False,
    ) -> None:
        now = self._io.now()
        records = self._attribution.page_answered(visit, verdict, answer, now, rendered, was_heard=was_heard)
        if records:
            self._io.writer.submit(*records)
        self._schedule()

    async def _close(self, closed: Closed, revisit: RevisitOfPage | None) -> None:
        records = self._crawl_state.closed(closed) if revisit is None else revisit.closed(closed)
        await self._commits(*records)

    async def _parsed(self, visit: Visit, url: str, answer: Answer, revisit: RevisitOfPage | None) -> PageDigest:
        raw = RawPage(
            url,
            answer.body,
            answer.content_encoding,
            answer.content_type,
            answer.robots_tags,
            answer.link_fields,
            earlier=None if revisit is None else await revisit.earlier(),
            refresh=answer.refresh,
            keeps_body=self._io.bodies.are_kept(),
        )
        task = asyncio.current_task()
        assert task is not None
        if self._leaving.is_set():
            raise LeftUnread
        self._unread[visit.host] += 1
        self._reading.add(task)
        try:
            return await self._io.parsers.parse(self._features.to_parse(visit.page, raw))
        except asyncio.CancelledError:
            if self._leaving.is_set() and not task.uncancel():
                raise LeftUnread from None
            raise
        finally:
            self._reading.discard(task)
            self._unread[visit.host] -= 1
            if not self._unread[visit.host]:
                del self._unread[visit.host]

    async def _read(
        self, visit: Visit, url: str, answer: Answer, revisit: RevisitOfPage | None
    ) -> tuple[PageDigest, NumberedLinks | None]:
        """Return what the parsers read from a page, and the page numbers of its links if it has very many links.

        The numbers are assigned in batches of some thousand links. Each batch is stored before the next, so that other
        visits can go on meanwhile.
        """
        digest, page = await self._parsed(visit, url, answer, revisit), visit.page
        parsed = digest.page
        if parsed is None or len(parsed.link_urls) <= LINKS_AT_ONCE:
            return digest, None
        links = NumberedLinks([])
        for start in range(0, len(parsed.link_urls), LINKS_AT_ONCE):
            record = self._crawl_state.part_read(page, parsed, slice(start, start + LINKS_AT_ONCE), links)
            await self._commits(record)
        return digest, links
