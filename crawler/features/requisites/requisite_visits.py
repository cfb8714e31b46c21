"""Carries out visits to requisites: fetches each, and reads what style sheets and frames refer to."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Final

from hinterland.crawler.features.requisites.known_requisites import KnownRequisites, WantedRequisite
from hinterland.crawler.features.requisites.reading import READER, is_read, references_of
from hinterland.crawler.features.requisites.settings import RequisiteSettings
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_rules import FINAL
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.parsing.html.page_bounds import MAX_FIELD_CHARACTERS
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import path_of
from hinterland.storage.values.records import Record
from hinterland.storage.values.requisites import RequisiteEnded

_HASHED_HERE: Final = 65_536
"""Larger bodies are hashed in another thread."""
GIVEN_UP: Final = "host_given_up"
LEFT_TO_CRAWL: Final = "page"
"""The outcome of frames that are pages of the crawl, which fetches them in its own order."""


class RequisiteVisits:
    """Carries out visits; `carry_out` returns once the outcome is in the store."""

    def __init__(self, known: KnownRequisites, workings: Workings) -> None:
        """Visit requisites for one crawl."""
        self._known = known
        self._components = workings.components
        self._io = workings.io
        self._visits = workings.visits
        self._attribution = workings.attribution
        self._schedule = workings.schedule
        self._canonicaliser = Canonicaliser()
        settings = workings.settings
        self._limits = BodyLimits(None, settings.of(RequisiteSettings).max_mb * 1_000_000)

    async def carry_out(self, visit: Visit) -> None:
        """Fetch the requisite that was queued at a host, if its robots.txt allows it."""
        wanted, frontier, now = self._known.asked_at(visit.host), self._components.frontier, self._io.now
        assert wanted is not None, "a task is queued for a requisite"
        rules = await self._visits.rules_of(visit, visit.host)
        if not rules.allows(path_of(wanted.url)):
            frontier.released(visit, now())
            self._known.answered(visit.host)
            self._schedule()
            await self._end(wanted, Verdict(OutcomeKind.ROBOTS, rules.doubt(path_of(wanted.url))), None)
            return
        answer = await self._visits.fetched(visit, wanted.url, self._limits)
        if answer is None:  # the kept-alive connection had been closed
            self._known.answered(visit.host)
            self._known.put_back(wanted, is_tried=False)
            self._schedule()
            return
        verdict = judge(answer, wanted.url, self._canonicaliser)
        records = self._attribution.probe_answered(visit, verdict, answer, now())
        self._known.answered(visit.host)
        self._schedule()
        self._io.writer.submit(*records)
        rule = self._components.retry_rules.of(verdict.kind)
        if rule is not FINAL and wanted.attempts + 1 < rule.attempts:
            self._known.put_back(wanted, is_tried=True)
            self._schedule()
            return
        await self._end(wanted, verdict, answer)

    def give_up(self, visit: Visit, now: float) -> None:
        """Give up a visit after an unexpected error."""
        if self._components.frontier.is_under_way(visit):
            self._components.frontier.broken_off(visit, now)
        wanted = self._known.asked_at(visit.host)
        if wanted is not None and visit.host_task is not None and wanted.url == visit.host_task.url:
            self._known.answered(visit.host)
            self.end_unfetched(wanted, OutcomeKind.INTERNAL_ERROR, "see the log")

    def end_unfetched(self, wanted: WantedRequisite, outcome: str, detail: str) -> None:
        """Record that a requisite which is under way is not fetched."""
        self._io.writer.submit(RequisiteEnded(wanted.number, outcome, self._io.now(), detail))
        self._known.ended(outcome)

    async def _end(self, wanted: WantedRequisite, verdict: Verdict, answer: Answer | NoAnswer | None) -> None:
        records: list[Record] = []
        digest: PageDigest | None = None
        outcome, detail = str(verdict.kind), verdict.detail
        content_type = answer.content_type if isinstance(answer, Answer) else None
        if verdict.kind is OutcomeKind.FETCHED and isinstance(answer, Answer):
            digest = await self._digested(wanted, answer)
            if digest.failure:
                outcome, detail = digest.failure, digest.detail
            else:
                references, left_out = references_of(digest)
                if references or left_out:
                    records.append(self._known.found(wanted.page, wanted.url, references, left_out, inside=wanted))
        elif verdict.kind is OutcomeKind.REDIRECTED and verdict.target is not None:
            target = [(int(wanted.kind), verdict.target)]
            records.append(self._known.found(wanted.page, wanted.url, target, inside=wanted))
        is_there = digest is not None and not digest.failure
        records.append(
            RequisiteEnded(
                number=wanted.number,
                outcome=outcome,
                at=self._io.now(),
                detail=detail[:MAX_FIELD_CHARACTERS],
                status=verdict.status,
                content_type=None if content_type is None else content_type[:MAX_FIELD_CHARACTERS],
                size=digest.body_bytes if digest is not None and is_there else None,
                digest=digest.body_hash if digest is not None and is_there else None,
                body=digest.body if digest is not None and is_there else None,
                opened_by=(answer.login or None) if isinstance(answer, Answer) else None,
            )
        )
        written = self._io.writer.submit(*records)
        self._known.ended(outcome)
        self._schedule()
        await written

    async def _digested(self, wanted: WantedRequisite, answer: Answer) -> PageDigest:
        """Return the digest of a body; only those that may refer to others or are kept take a parser process."""
        keeps = self._io.bodies.are_kept()
        if keeps or answer.content_encoding or is_read(wanted.kind, answer.content_type):
            return await self._io.parsers.parse(
                RawPage(
                    wanted.url,
                    answer.body,
                    answer.content_encoding,
                    answer.content_type,
                    keeps_body=keeps,
                    only_reader=READER.name,
                )
            )
        size = len(answer.body)
        hashed = _hash(answer.body) if size <= _HASHED_HERE else await asyncio.to_thread(_hash, answer.body)
        return PageDigest(body_bytes=size, body_hash=hashed)


def _hash(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()[:16]
