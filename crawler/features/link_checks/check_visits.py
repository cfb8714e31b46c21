"""Carries out checks: one request to an address, by HEAD if its host answers that truthfully."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hinterland.crawler.features.link_checks.known_checks import LEFT_OUT, KnownChecks, WantedCheck
from hinterland.crawler.features.requisites.reading import READER, references_of
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_rules import FINAL
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.parsing.messages import RawPage
from hinterland.crawler.parsing.resources.references import ResourceKind
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import path_of
from hinterland.storage.values.link_checks import LinkChecked

_LONGEST: Final = 1_000
_MOST_CSS_BYTES: Final = 1_000_000
_HEAD: Final = BodyLimits(frozenset(), 0, without_body=True)
_GET: Final = BodyLimits(frozenset(), 0)
_STYLE: Final = BodyLimits(None, _MOST_CSS_BYTES, cut=True)
_THERE: Final = (OutcomeKind.FETCHED, OutcomeKind.OTHER_TYPE)
_UNSURE: Final = (
    *(OutcomeKind.CLIENT_ERROR, OutcomeKind.SERVER_ERROR, OutcomeKind.UNEXPECTED_STATUS, OutcomeKind.DISCONNECTED),
    OutcomeKind.BAD_RESPONSE,
)
"""Outcomes of HEAD by which some servers only say that they do not know the method."""
GIVEN_UP: Final = "host_given_up"


class CheckVisits:
    """Carries out checks; `carry_out` returns once the outcome is in the store."""

    def __init__(self, known: KnownChecks, workings: Workings) -> None:
        """Check addresses for one crawl."""
        self._known = known
        self._components = workings.components
        self._io = workings.io
        self._visits = workings.visits
        self._attribution = workings.attribution
        self._schedule = workings.schedule
        self._canonicaliser = Canonicaliser(drop_parameters=())

    async def carry_out(self, visit: Visit) -> None:
        """Check the address that was queued at a host, if its robots.txt allows it."""
        known, frontier, now = self._known, self._components.frontier, self._io.now
        wanted = known.asked_at(visit.host)
        assert wanted is not None, "a task is queued for an address"
        rules = await self._visits.rules_of(visit, visit.host)
        if not rules.allows(path_of(wanted.url)):
            frontier.released(visit, now())
            known.answered(visit.host)
            self._schedule()
            await self._end(wanted, Verdict(OutcomeKind.ROBOTS, rules.doubt(path_of(wanted.url))), None)
            return
        by_head = known.asks_by_head(wanted)
        limits = _HEAD if by_head else _STYLE if wanted.kind == "style" else _GET
        answer = await self._visits.fetched(visit, wanted.url, limits)
        if answer is None:  # the kept-alive connection had been closed
            known.answered(visit.host)
            known.put_back(wanted)
            self._schedule()
            return
        verdict = judge(answer, wanted.url, self._canonicaliser)
        records = self._attribution.probe_answered(visit, verdict, answer, now())
        known.answered(visit.host)
        self._schedule()
        self._io.writer.submit(*records)
        if by_head and verdict.kind in _UNSURE and known.must_confirm(wanted, verdict.status):
            wanted.by_get = True
            known.put_back(wanted)
            self._schedule()
            return
        if wanted.by_get:
            known.compared(wanted, is_there=verdict.kind in (*_THERE, OutcomeKind.REDIRECTED))
        rule = self._components.retry_rules.of(verdict.kind)
        if rule is not FINAL and wanted.attempts + 1 < rule.attempts:
            known.put_back(wanted, is_tried=True)
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
            self.end_unasked(wanted, OutcomeKind.INTERNAL_ERROR, "see the log")

    def end_unasked(self, wanted: WantedCheck, outcome: str, detail: str) -> None:
        """Record that an address which is under way is not asked for."""
        self._io.writer.submit(LinkChecked(wanted.url, wanted.kind, outcome, self._io.now(), wanted.via, detail))
        self._known.ended(outcome)

    async def _end(self, wanted: WantedCheck, verdict: Verdict, answer: Answer | NoAnswer | None) -> None:
        outcome = OutcomeKind.FETCHED if verdict.kind in _THERE else verdict.kind
        records: list[LinkChecked] = []
        if verdict.kind is OutcomeKind.REDIRECTED and verdict.target is not None:
            records += self._left_out(self._known.want(verdict.target, wanted.kind, wanted.url, wanted.steps + 1))
        elif isinstance(answer, Answer) and wanted.kind == "style" and verdict.kind in _THERE:
            for kind, url in await self._loaded(wanted, answer):
                name = ResourceKind(kind).name.lower()
                records += self._left_out(self._known.want(url, name, wanted.url, wanted.steps + 1))
        records.append(
            LinkChecked(
                wanted.url,
                wanted.kind,
                str(outcome),
                self._io.now(),
                via=wanted.via,
                detail=verdict.detail[:_LONGEST],
                status=verdict.status,
                target=verdict.target,
                content_type=_field(answer, "Content-Type"),
                size=_size(answer),
            )
        )
        written = self._io.writer.submit(*records)
        self._known.ended(str(outcome))
        self._schedule()
        await written

    def _left_out(self, beyond: Iterable[WantedCheck]) -> list[LinkChecked]:
        return left_out_records(beyond, self._io.now())

    async def _loaded(self, wanted: WantedCheck, answer: Answer) -> list[tuple[int, str]]:
        """Return what a style sheet loads, read in a parser process."""
        raw = RawPage(wanted.url, answer.body, answer.content_encoding, answer.content_type, only_reader=READER.name)
        digest = await self._io.parsers.parse(raw)
        return references_of(digest)[0]


def left_out_records(beyond: Iterable[WantedCheck], now: float) -> list[LinkChecked]:
    """Return the records of addresses beyond the limit of their host."""
    return [LinkChecked(each.url, each.kind, LEFT_OUT, now, each.via, "link_checks.max_per_host") for each in beyond]


def _field(answer: Answer | NoAnswer | None, name: str) -> str | None:
    value = answer.header(name) if isinstance(answer, Answer) else None
    return None if value is None else value[:_LONGEST]


def _size(answer: Answer | NoAnswer | None) -> int | None:
    length = _field(answer, "Content-Length")
    return int(length) if length is not None and length.isdecimal() and len(length) < 16 else None
