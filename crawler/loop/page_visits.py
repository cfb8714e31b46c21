"""Carries out visits to pages: fetch, tell the frontier (the host begins to rest), have the page parsed, close it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import Final, TypeVar

from hinterland.crawler.features.recrawl.looks import Looks
from hinterland.crawler.features.recrawl.revisits import NoRevisits
from hinterland.crawler.features.soft_404.sibling_probes import SiblingProbes
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.fetching.validators import NO_VALIDATORS, Validators
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.blame import Blame
from hinterland.crawler.loop.decisions.ledger import Closed, Ledger
from hinterland.crawler.loop.decisions.parts import Parts
from hinterland.crawler.loop.decisions.visit_records import NumberedLinks, moved_by_field, verdict_on
from hinterland.crawler.loop.robots_reading import rules_of_host
from hinterland.crawler.loop.shell import Schedule, Shell
from hinterland.crawler.parsing.documents.reading import accepted
from hinterland.crawler.parsing.messages import EarlierPage, PageDigest, RawPage, Rendered
from hinterland.crawler.settings import FetchingSettings
from hinterland.crawler.urls.hosts import path_of
from hinterland.storage.values.history import StoredVersion

T = TypeVar("T")

_LARGE_BODY: Final = 32_768  # bytes as sent; nineteen of twenty pages are smaller
LINKS_AT_ONCE: Final = 4000
_MOST_UNREAD: Final = 8
"""Once this many pages of a host wait to be read, it is asked for no more until the last of them is read. Pages that
take long wait for one another, and those of one host must not be all that waits."""


class LeftUnread(Exception):
    """A page was fetched, and the crawl ends before it is read."""


class Visits:
    """What visits have in common, whether to a page or for a task: URLs, rules, and what becomes of a broken one."""

    def __init__(self, parts: Parts, shell: Shell) -> None:
        self._frontier = parts.frontier
        self._robots = parts.robots
        self._urls = parts.urls
        self._revisits = parts.revisits
        self._shell = shell
        self._writer = shell.writer
        self._now = shell.now

    async def url_of(self, visit: Visit, page: int) -> str:
        url = self._urls.take(page)
        if url is not None:
            return url
        if not self._urls.is_stored(page):
            await self.guarded(visit, self._writer.submit())  # once all before it is committed, it is
        ahead = self._frontier.upcoming(visit.host, self._revisits.read_ahead)
        return await self.guarded(visit, self._urls.read(page, ahead))

    async def stored(self, visit: Visit) -> StoredVersion | None:
        """The version of a page that is stored, if the visit is another look at it."""
        revisits = self._revisits
        if isinstance(revisits, NoRevisits) or not revisits.looks_again(visit.page):
            return None
        if (at_hand := revisits.version_at_hand(visit.page)) is not None:
            return at_hand
        ahead = self._frontier.upcoming(visit.host, revisits.read_ahead)
        return await self.guarded(visit, revisits.version(visit.page, ahead))

    async def rules_of(self, visit: Visit, host: int) -> RobotsRules:
        """The rules of a host whose robots.txt is known."""
        rules = self._robots.rules_at_hand(host)
        return rules if rules is not None else await self.guarded(visit, rules_of_host(self._robots, host))

    async def fetched(
        self, visit: Visit, url: str, limits: BodyLimits, validators: Validators = NO_VALIDATORS
    ) -> Answer | NoAnswer | None:
        """Make the request of a visit. None if the server closed the connection that had been kept for it: then nobody
        is to blame, and the visit is given back, to be made over a new connection once its host has rested."""
        answer = await self.guarded(visit, self._shell.fetcher.fetch(url, limits, validators))
        self._shell.flow.served(visit, self._now())
        if isinstance(answer, NoAnswer) and answer.is_stale:
            self._frontier.abandoned(visit, self._now())
            return None
        return answer

    async def guarded(self, visit: Visit, work: Awaitable[T]) -> T:
        """Await what may be cancelled while a visit is under way, and give the visit back if it is."""
        try:
            return await work
        except Exception:
            raise  # who carries the visit out ends it
        except BaseException:
            self._frontier.abandoned(visit, self._now())
            raise

    def must_end_crawl(self, error: Exception, ledger: Ledger) -> bool:
        """Whether an error that has come up in a visit concerns more than that."""
        return ledger.is_broken or self._writer.has_failed or self._shell.ends_crawl(error)


class PageVisits:
    """See the module. `carry_out` returns once what the visit brought is committed."""

    def __init__(
        self, parts: Parts, shell: Shell, ledger: Ledger, blame: Blame, settings: FetchingSettings, schedule: Schedule
    ) -> None:
        self._parts = parts
        self._shell = shell
        self._visits = Visits(parts, shell)
        self._ledger = ledger
        self._looks = Looks(parts, ledger, shell.now)
        self._blame = blame
        self._limits = BodyLimits(accepted(settings.content_types, settings.documents), settings.max_body_bytes)
        self._schedule = schedule
        self._siblings = SiblingProbes(parts, shell, blame, self._limits)
        self._unread = Counter[int]()
        self._reading = set[asyncio.Task[None]]()
        self._leaving = asyncio.Event()

    async def carry_out(self, visit: Visit) -> None:
        """What goes wrong here unexpectedly is the end of the page, and of no more."""
        url = await self._visits.url_of(visit, visit.page)
        stored = await self._visits.stored(visit)
        started, parts = self._shell.now(), self._parts
        try:
            closed = await self._carried_out(visit, url, stored)
        except LeftUnread:
            if parts.frontier.is_under_way(visit):
                parts.frontier.abandoned(visit, self._shell.now())
            return
        except Exception as error:
            if self._visits.must_end_crawl(error, self._ledger):
                raise
            if parts.frontier.is_under_way(visit):
                parts.frontier.broken_off(visit, self._shell.now())
            reason = self._ledger.mishaps.note(url, visit.host, error)
            verdict = Verdict(OutcomeKind.INTERNAL_ERROR, reason)
            closed = Closed(visit, url, started, verdict, stored=stored)
        if closed is not None:
            await self._close(closed)

    def leave_unread(self) -> int:
        """Let no visit wait for a page to be read any more: as far as the store knows, it was not made. Returns how
        many did."""
        self._leaving.set()
        for task in self._reading:
            task.cancel()
        return len(self._reading)

    async def _carried_out(self, visit: Visit, url: str, stored: StoredVersion | None) -> Closed | None:
        """How it ended; None if the page was given back."""
        parts, guarded, now = self._parts, self._visits.guarded, self._shell.now
        rules = await self._visits.rules_of(visit, visit.host)
        started, path = now(), path_of(url)
        if not rules.allows(path):
            parts.frontier.released(visit, started)
            self._schedule()  # the host need not wait until that is written
            verdict = Verdict(OutcomeKind.ROBOTS, rules.doubt(path))
            return Closed(visit, url, started, verdict, stored=stored)
        if stored is None and not parts.slow_lane.begins(visit, url, started):
            parts.urls.remember(visit.page, url)
            self._schedule()
            return None
        validators = None
        if stored is not None and stored.is_read and not self._lacks_body(stored):
            validators = Validators(stored.etag, stored.last_modified)
        answer = await self._visits.fetched(visit, url, self._limits, validators or NO_VALIDATORS)
        if answer is None:
            parts.urls.remember(visit.page, url)
            self._schedule()
            return None
        verdict = moved_by_field(judge(answer, url, parts.canonicaliser, validators), answer, url, parts.canonicaliser)
        # A large page keeps its host busy until it is read: a flood of them has to wait at its own host, not here. So
        # does one that may be rendered, as its host is asked for more then.
        loans = self._shell.loans
        keeps_host = isinstance(answer, Answer) and (
            len(answer.body) > _LARGE_BODY or loans is not None or self._unread[visit.host] >= _MOST_UNREAD
        )
        if keeps_host:  # that it answered is true now, and may no longer be when the page is read
            self._blame.heard(visit.host, answer, now())
        else:
            self._answered(visit, verdict, answer)
        digest, links, rendered = None, None, None
        if verdict.kind is OutcomeKind.FETCHED and not verdict.is_same:
            assert isinstance(answer, Answer)
            if loans is not None:
                parts.frontier.kept(visit, now(), answer.seconds)
                self._schedule()
            reading = self._read(visit, url, answer, stored)
            digest, links = await (guarded(visit, reading) if keeps_host else reading)
            verdict = verdict_on(digest, url, verdict.status, parts.canonicaliser)
            rendered = digest.rendered
            if loans is not None:
                await guarded(visit, loans.all_returned(visit.host))
                if verdict.kind is OutcomeKind.FETCHED and links is None:
                    judging = self._siblings.verdict_on(verdict, url, digest, visit, rules, is_look=stored is not None)
                    verdict = await guarded(visit, judging)
            if verdict.kind in (OutcomeKind.REDIRECTED, OutcomeKind.SOFT_404):
                digest, links = None, None
        if keeps_host:
            self._answered(visit, verdict, answer, rendered, was_heard=True)
        if parts.cookie_gates.is_shut(visit.page, verdict, answer, digest, is_look=stored is not None):
            self._ledger.asks_again(visit.page, url, answer)
            self._schedule()
            return None
        if parts.cookie_gates.is_on and verdict.kind is OutcomeKind.REDIRECTED:
            await self._shell.writer.submit()  # so that the redirect of a page that is opened again is written before
        led_to = frozenset[int]() if stored is None else await self._led_to(visit.page, digest)
        return Closed(visit, url, started, verdict, answer, digest, links, stored, led_to)

    def _lacks_body(self, stored: StoredVersion) -> bool:
        """Whether a page has to be sent in full, as all bodies are to be kept and this one was not."""
        return self._shell.bodies.keeps_all and stored.outcome == OutcomeKind.FETCHED and not stored.has_body

    async def _led_to(self, page: int, digest: PageDigest | None) -> frozenset[int]:
        """Where the stored version of a page leads, if that is to be compared."""
        revisits = self._parts.revisits
        if digest is None or digest.page is None or isinstance(revisits, NoRevisits):
            return frozenset()
        return await revisits.store.targets(page)

    async def _earlier(self, stored: StoredVersion) -> EarlierPage | None:
        """What a new version is compared with; None if nothing was read before."""
        revisits = self._parts.revisits
        if stored.body_hash is None or isinstance(revisits, NoRevisits):
            return None
        text = await revisits.store.text(stored.page)
        keeps_text = revisits.settings.keep_texts > 0
        return EarlierPage(stored.body_hash, stored.title or "", text, keeps_text, not stored.has_body)

    def _answered(
        self,
        visit: Visit,
        verdict: Verdict,
        answer: Answer | NoAnswer,
        rendered: Rendered | None = None,
        *,
        was_heard: bool = False,
    ) -> None:
        now = self._shell.now()
        records = self._blame.page_answered(visit, verdict, answer, now, rendered, was_heard=was_heard)
        if records:
            self._shell.writer.submit(*records)
        self._schedule()

    async def _close(self, closed: Closed) -> None:
        ledger = self._ledger if closed.stored is None else self._looks
        committed = self._shell.writer.submit(*ledger.closed(closed))
        below = len(self._parts.known)
        self._schedule()
        await committed
        self._parts.urls.stored(below)

    async def _parsed(self, visit: Visit, url: str, answer: Answer, stored: StoredVersion | None) -> PageDigest:
        raw = RawPage(
            url,
            answer.body,
            answer.content_encoding,
            answer.content_type,
            answer.robots_tags,
            answer.link_fields,
            self._parts.slow_lane.interest(visit.page),
            earlier=None if stored is None else await self._earlier(stored),
            refresh=answer.refresh,
            keeps_body=self._shell.bodies.are_kept(),
        )
        task = asyncio.current_task()
        assert task is not None
        if self._leaving.is_set():
            raise LeftUnread
        self._unread[visit.host] += 1
        self._reading.add(task)
        try:
            return await self._shell.parsers.parse(raw)
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
        self, visit: Visit, url: str, answer: Answer, stored: StoredVersion | None
    ) -> tuple[PageDigest, NumberedLinks | None]:
        """Have a page parsed. The links of a page that has very many are numbered here, some thousands at a time: what
        they bring to light is written before the next ones have their turn, and the visits of others go on."""
        digest, page = await self._parsed(visit, url, answer, stored), visit.page
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
