"""What another look at a stored page makes true: the counterpart of `ledger`, which has the first visits. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec

from hinterland.crawler.features.recrawl.revisits import GONE_AT_ONCE, STANDS, Finding, Revisits, finding, has_new_links
from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.served_dates import disagree, sent_at
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.loop.decisions.ledger import Closed, Ledger
from hinterland.crawler.loop.decisions.parts import Parts
from hinterland.crawler.loop.decisions.visit_records import Outlinks, extracted_records, visit_record
from hinterland.crawler.parsing.messages import Comparison, PageDigest
from hinterland.storage.values.history import ChangeRecord, LookRecord, PageEvidence, StoredVersion
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import Record
from hinterland.storage.values.topics import JudgementRecord

_UNREAD = Comparison()


def _without_content(digest: PageDigest | None) -> PageDigest | None:
    """The links of a page are to be stored, but its text stays as it was."""
    return None if digest is None else msgspec.structs.replace(digest, text=None, body=None)


def _missing_body(stored: StoredVersion, digest: PageDigest | None) -> bytes | None:
    """The body of a page that stands, if none was kept of it."""
    return None if stored.has_body or digest is None else digest.body


def _is_by_a_wrong_clock(found: Finding, answer: Answer | NoAnswer | None, now: float) -> bool:
    """Whether it would be counted for how long a page has not been there, by a clock that is far from the server's."""
    if found not in (Finding.MISSED, Finding.GONE) or not isinstance(answer, Answer):
        return False
    return answer.status != GONE_AT_ONCE and disagree(now, sent_at(answer.date, answer.age))


def _look(
    closed: Closed,
    stored: StoredVersion,
    found: Finding,
    now: float,
    evidence: PageEvidence | None,
    host_state: HostStateRecord,
) -> LookRecord:
    """The page is to be known by what was sent with it, if that is its present version and says anything new."""
    page, answer, digest = closed.visit.page, closed.answer, closed.digest
    if found is Finding.MISSED or not isinstance(answer, Answer):
        is_missed = found is Finding.MISSED
        return LookRecord(page, now, is_missed=is_missed, evidence=evidence, host_state=host_state)
    body_hash = None if digest is None or digest.page is None else digest.body_hash
    return LookRecord(
        page,
        now,
        etag=answer.etag if answer.etag != stored.etag else None,
        last_modified=answer.last_modified if answer.last_modified != stored.last_modified else None,
        body_hash=body_hash if body_hash != stored.body_hash else None,
        body=_missing_body(stored, digest),
        evidence=evidence,
        host_state=host_state,
    )


class Looks:
    """Ends looks at pages. A version that still stands keeps its row, its links and its text; only that it was looked
    at is noted."""

    def __init__(self, parts: Parts, ledger: Ledger, now: Callable[[], float]) -> None:
        self._revisits = parts.revisits
        self._known = parts.known
        self._urls = parts.urls
        self._sitemaps = parts.sitemaps
        self._ledger = ledger
        self._now = now

    def closed(self, closed: Closed) -> list[Record]:
        """Make the end of a look true; the records that tell the store, in their order."""
        return self._ledger.contained(closed, self._closed)

    def _closed(self, closed: Closed, discoveries: Discoveries) -> list[Record]:
        stored, revisits, ledger, now = closed.stored, self._revisits, self._ledger, self._now()
        assert stored is not None
        assert isinstance(revisits, Revisits)
        page = closed.visit.page
        if closed.verdict.is_same:
            return [self._unchanged(closed, stored, revisits, now)]
        verdict, outlinks = ledger.numbered(closed, discoveries)
        ledger.discovered(discoveries, now)
        comparison = closed.comparison or _UNREAD
        found = finding(
            stored,
            verdict,
            closed.digest,
            leads_to=outlinks.redirect_target,
            has_new_links=self._has_new_links(closed, comparison, outlinks),
            at=now,
            settings=revisits.settings,
        )
        ledger.count_look(closed.answer, closed.digest)
        self._sitemaps.page_visited(self._known.host_urls[closed.visit.host])
        host_error = ledger.host_error(verdict)
        host_state = ledger.host_state(closed.visit.host, host_error)
        if host_error is None and _is_by_a_wrong_clock(found, closed.answer, now):
            ledger.done_with(page)
            revisits.ended(page, closed.visit.host, Finding.MISSED, now)
            return [discoveries.record(), host_state]
        may_be_unsettled = found is Finding.MISSED or host_error is not None
        if may_be_unsettled and ledger.retry_at(page, verdict.kind, closed.answer, now) is not None:
            revisits.put_off(page, found)
            self._urls.remember(page, closed.url)
            return [discoveries.record(), host_state]
        ledger.done_with(page)
        evidence = revisits.ended(page, closed.visit.host, found, now, outlinks.redirect_target)
        if found in STANDS and not self._leads_elsewhere(outlinks, closed):
            return [discoveries.record(), _look(closed, stored, found, now, evidence, host_state)]
        look, *records = self._replaced(closed, found, verdict, outlinks, discoveries, now)
        assert isinstance(look, LookRecord | ChangeRecord)
        return [replace(look, evidence=evidence), *records]

    def _unchanged(self, closed: Closed, stored: StoredVersion, revisits: Revisits, now: float) -> LookRecord:
        """The end of most looks: the server said that the page is as it was, and nothing was read."""
        page, host = closed.visit.page, closed.visit.host
        self._ledger.count_look(closed.answer, None)
        self._sitemaps.page_visited(self._known.host_urls[host])
        self._ledger.done_with(page)
        evidence = revisits.ended(page, host, Finding.SAME, now)
        return _look(closed, stored, Finding.SAME, now, evidence, self._ledger.host_state(host, None))

    def _has_new_links(self, closed: Closed, comparison: Comparison, outlinks: Outlinks) -> bool:
        if closed.digest is None or closed.digest.page is None:
            return False
        urls = closed.digest.page.link_urls
        return has_new_links(comparison.links, urls, outlinks.targets, closed.led_to, self._known.find)

    def _leads_elsewhere(self, outlinks: Outlinks, closed: Closed) -> bool:
        """Whether a page that says the same has other links, in its menus or so."""
        return (
            outlinks.columns is not None
            and closed.verdict.kind is OutcomeKind.FETCHED
            and set(outlinks.columns.targets) != set(closed.led_to)
        )

    def _replaced(
        self,
        closed: Closed,
        found: Finding,
        verdict: Verdict,
        outlinks: Outlinks,
        discoveries: Discoveries,
        now: float,
    ) -> list[Record]:
        stored, ledger, digest = closed.stored, self._ledger, closed.digest
        assert stored is not None
        page = closed.visit.page
        record = visit_record(
            visit=ledger.next_visit(),
            page=page,
            attempt=stored.attempt + 1,
            started_at=closed.started,
            verdict=verdict,
            answer=closed.answer,
            digest=digest if found is not Finding.SAME else _without_content(digest),
            parsed=None if digest is None else digest.page,
            outlinks=outlinks,
            discoveries=discoveries,
            host_state=ledger.host_state(closed.visit.host, ledger.host_error(verdict)),
        )
        if found is Finding.SAME:
            return [LookRecord(page, now, body=_missing_body(stored, digest)), record]
        records: list[Record] = [self._change(closed, stored, found, now), record]
        if digest is not None and digest.reading is not None:
            records.append(JudgementRecord(page, digest.reading.relevance))
        return [*records, *extracted_records(page, digest)]

    def _change(self, closed: Closed, stored: StoredVersion, found: Finding, now: float) -> ChangeRecord:
        comparison, revisits = closed.comparison or _UNREAD, self._revisits
        assert isinstance(revisits, Revisits)
        return ChangeRecord(
            stored.page,
            now,
            found.value,
            share=comparison.share if closed.comparison is not None else None,
            before=comparison.before or None,
            keeps=revisits.settings.keep_texts,
            forgets=closed.verdict.kind is not OutcomeKind.FETCHED,
        )
