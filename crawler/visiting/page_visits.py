"""Carries out visits to pages: fetch, tell the frontier (the host begins to rest), have the page parsed, close it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from crawler.decisions.blame import Blame
from crawler.decisions.ledger import Closed, Ledger
from crawler.decisions.parts import Parts
from crawler.decisions.visit_records import NumberedLinks, verdict_on
from crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from crawler.fetching.outcomes import OutcomeKind
from crawler.fetching.verdicts import Verdict, judge
from crawler.frontier.visits import Visit
from crawler.parsing.documents.reading import accepted
from crawler.parsing.messages import PageDigest, RawPage, Rendered
from crawler.robots.rules import RobotsRules
from crawler.settings import FetchingSettings
from crawler.urls.hosts import path_of
from crawler.visiting.shell import Schedule, Shell

T = TypeVar("T")

_READ_AHEAD: Final = 32
_LARGE_BODY: Final = 32_768  # bytes as sent; nineteen of twenty pages are smaller
LINKS_AT_ONCE: Final = 4000


class Visits:
    """What visits have in common, whether to a page or for a task: URLs, rules, and what becomes of a broken one."""

    def __init__(self, parts: Parts, shell: Shell) -> None:
        self._frontier = parts.frontier
        self._robots = parts.robots
        self._urls = parts.urls
        self._writer = shell.writer
        self._now = shell.now

    async def url_of(self, visit: Visit, page: int) -> str:
        url = self._urls.take(page)
        if url is not None:
            return url
        if not self._urls.is_stored(page):
            await self.guarded(visit, self._writer.submit())  # once all before it is committed, it is
        ahead = self._frontier.upcoming(visit.host, _READ_AHEAD)
        return await self.guarded(visit, self._urls.read(page, ahead))

    async def rules_of(self, visit: Visit, text: bytes | None) -> RobotsRules:
        """The rules in the text of a robots.txt; a long one is parsed in another thread."""
        robots = self._robots
        if text is not None and robots.takes_long(text):
            robots.keep(text, await self.guarded(visit, asyncio.to_thread(robots.parse, text)))
        return robots.read(text)

    async def guarded(self, visit: Visit, work: Awaitable[T]) -> T:
        """Await what may be cancelled while a visit is under way, and give the visit back if it is."""
        try:
            return await work
        except BaseException:
            self._frontier.abandoned(visit, self._now())
            raise


class PageVisits:
    """See the module. `carry_out` returns once what the visit brought is committed."""

    def __init__(
        self, parts: Parts, shell: Shell, ledger: Ledger, blame: Blame, settings: FetchingSettings, schedule: Schedule
    ) -> None:
        self._parts = parts
        self._shell = shell
        self._visits = Visits(parts, shell)
        self._ledger = ledger
        self._blame = blame
        self._limits = BodyLimits(accepted(settings.content_types, settings.documents), settings.max_body_bytes)
        self._schedule = schedule

    async def carry_out(self, visit: Visit) -> None:
        parts, guarded, now = self._parts, self._visits.guarded, self._shell.now
        url = await self._visits.url_of(visit, visit.page)
        rules = await self._visits.rules_of(visit, parts.robots.text(visit.host))
        started, path = now(), path_of(url)
        if not rules.allows(path):
            parts.frontier.released(visit, started)
            self._schedule()  # the host need not wait until that is written
            await self._close(Closed(visit, url, started, Verdict(OutcomeKind.ROBOTS, rules.doubt(path))))
            return
        if not parts.slow_lane.begins(visit, url, started):
            parts.urls.remember(visit.page, url)
            self._schedule()
            return
        answer = await guarded(visit, self._shell.fetcher.fetch(url, self._limits))
        verdict = judge(answer, url, parts.canonicaliser)
        # A large page keeps its host busy until it is read: a flood of them has to wait at its own host, not here. So
        # does one that may be rendered, as its host is asked for more then.
        keeps_host = isinstance(answer, Answer) and (len(answer.body) > _LARGE_BODY or self._shell.renders)
        if not keeps_host:
            self._answered(visit, verdict, answer)
        digest, links, rendered = None, None, None
        if verdict.kind is OutcomeKind.FETCHED:
            assert isinstance(answer, Answer)
            reading = self._read(visit.page, url, answer)
            digest, links = await (guarded(visit, reading) if keeps_host else reading)
            rendered = digest.rendered
            verdict = verdict_on(digest, url, verdict.status, parts.canonicaliser)
            if verdict.kind is OutcomeKind.REDIRECTED:
                digest, links = None, None
        if keeps_host:
            self._answered(visit, verdict, answer, rendered)
        await self._close(Closed(visit, url, started, verdict, answer, digest, links))

    def _answered(
        self, visit: Visit, verdict: Verdict, answer: Answer | NoAnswer, rendered: Rendered | None = None
    ) -> None:
        records = self._blame.page_answered(visit, verdict, answer, self._shell.now(), rendered)
        if records:
            self._shell.writer.submit(*records)
        self._schedule()

    async def _close(self, closed: Closed) -> None:
        committed = self._shell.writer.submit(*self._ledger.closed(closed))
        below = len(self._parts.known)
        self._schedule()
        await committed
        self._parts.urls.stored(below)

    async def _read(self, page: int, url: str, answer: Answer) -> tuple[PageDigest, NumberedLinks | None]:
        """Have a page parsed. The links of a page that has very many are numbered here, some thousands at a time: what
        they bring to light is written before the next ones have their turn, and the visits of others go on."""
        digest = await self._shell.parsers.parse(
            RawPage(
                url,
                answer.body,
                answer.content_encoding,
                answer.content_type,
                answer.robots_tags,
                answer.link_fields,
                self._parts.slow_lane.interest(page),
            )
        )
        parsed = digest.page
        if parsed is None or len(parsed.link_urls) <= LINKS_AT_ONCE:
            return digest, None
        links = NumberedLinks([])
        for start in range(0, len(parsed.link_urls), LINKS_AT_ONCE):
            record = self._ledger.part_read(page, parsed, slice(start, start + LINKS_AT_ONCE), links)
            committed = self._shell.writer.submit(record)
            below = len(self._parts.known)
            self._schedule()
            await committed
            self._parts.urls.stored(below)
        return digest, links
