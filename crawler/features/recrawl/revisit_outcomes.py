"""Applies the outcomes of revisits. (`crawl_state` applies the outcomes of first visits.) Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import msgspec

from hinterland.crawler.features.recrawl.revisits import GONE_AT_ONCE, STANDS, Finding, Revisits, finding, has_new_links
from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.served_dates import disagree, sent_at
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.loop.decisions.closed_visits import Closed
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.loop.decisions.visit_records import Outlinks, visit_record
from hinterland.crawler.parsing.messages import Comparison, PageDigest
from hinterland.storage.values.history import ChangeRecord, PageEvidence, RevisitRecord, StoredVersion
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import Record

_UNREAD = Comparison()


def _without_content(digest: PageDigest | None) -> PageDigest | None:
    """Return the digest without its text, so that its links are stored, but the stored text is not replaced."""
    return None if digest is None else msgspec.structs.replace(digest, text=None, body=None)


def _missing_body(stored: StoredVersion, digest: PageDigest | None) -> bytes | None:
    """Return the body of an unchanged page if the store has no body of it; otherwise None."""
    return None if stored.has_body or digest is None else digest.body


def _is_by_a_wrong_clock(found: Finding, answer: Answer | NoAnswer | None, now: float) -> bool:
    """Return whether a page is missing and the local clock is far from the server's.

    Such a visit must not count, because how long a page has been missing decides whether it is gone.
    """
    if found not in (Finding.MISSED, Finding.GONE) or not isinstance(answer, Answer):
        return False
    return answer.status != GONE_AT_ONCE and disagree(now, sent_at(answer.date, answer.age))


def _revisit_record(
    closed: Closed,
    stored: StoredVersion,
    found: Finding,
    now: float,
    evidence: PageEvidence | None,
    host_state: HostStateRecord,
) -> RevisitRecord:
    """Return the record of a revisit that leaves the stored version as it is.

    The record holds the answer's validators and hash if they belong to the stored version and differ from those in the
    store.
    """
    page, answer, digest = closed.visit.page, closed.answer, closed.digest
    if found is Finding.MISSED or not isinstance(answer, Answer):
        is_missed = found is Finding.MISSED
        return RevisitRecord(page, now, is_missed=is_missed, evidence=evidence, host_state=host_state)
    body_hash = None if digest is None or digest.page is None else digest.body_hash
    return RevisitRecord(
        page,
        now,
        etag=answer.etag if answer.etag != stored.etag else None,
        last_modified=answer.last_modified if answer.last_modified != stored.last_modified else None,
        body_hash=body_hash if body_hash != stored.body_hash else None,
        body=_missing_body(stored, digest),
        evidence=evidence,
        host_state=host_state,
    )


class RevisitOutcomes:
    """Applies the outcomes of revisits.

    If the stored version is still current, its row, links and text are kept, and only the revisit is recorded.
    """

    def __init__(
        self, revisits: Revisits, components: CrawlComponents, crawl_state: CrawlState, now: Callable[[], float]
    ) -> None:
        """Apply outcomes to the state of a crawl; `now` is its clock, in epoch seconds."""
        self._revisits = revisits
        self._features = components.features
        self._known = components.known
        self._urls = components.urls
        self._crawl_state = crawl_state
        self._now = now

    def closed(self, closed: Closed, stored: StoredVersion, led_to: frozenset[int]) -> list[Record]:
        """Apply the outcome of a revisit; return the records for the store, in order.

        `stored` is the version before the revisit, and `led_to` holds the pages that it links to.
        """
        return self._crawl_state.contained(closed, partial(self._closed, stored, led_to))

    def _closed(
        self, stored: StoredVersion, led_to: frozenset[int], closed: Closed, discoveries: Discoveries
    ) -> list[Record]:
        revisits, crawl_state, now = self._revisits, self._crawl_state, self._now()
        page = closed.visit.page
        if closed.verdict.is_same:
            return [self._unchanged(closed, stored, discoveries, now)]
        verdict, outlinks = crawl_state.numbered(closed, discoveries)
        crawl_state.discovered(discoveries, now)
        comparison = closed.comparison or _UNREAD
        found = finding(
            stored,
            verdict,
            closed.digest,
            leads_to=outlinks.redirect_target,
            has_new_links=self._has_new_links(closed, comparison, outlinks, led_to),
            at=now,
            settings=revisits.settings,
        )
        crawl_state.count_revisit(closed.answer, closed.digest)
        ended = _ended(closed, verdict, outlinks, discoveries, now)
        self._features.visited(ended)
        host_error = crawl_state.host_error(verdict)
        host_state = crawl_state.host_state(closed.visit.host, host_error)
        if host_error is None and _is_by_a_wrong_clock(found, closed.answer, now):
            crawl_state.done_with(page)
            revisits.ended(page, closed.visit.host, Finding.MISSED, now)
            return [discoveries.record(), host_state]
        if crawl_state.retry_at(page, verdict.kind, closed.answer, now) is not None:
            revisits.put_off(page, found)
            self._urls.remember(page, closed.url)
            return [discoveries.record(), host_state]
        crawl_state.done_with(page)
        evidence = revisits.ended(page, closed.visit.host, found, now, outlinks.redirect_target)
        if found in STANDS and not _leads_elsewhere(outlinks, closed, led_to):
            return [discoveries.record(), _revisit_record(closed, stored, found, now, evidence, host_state)]
        revisit, *records = self._replaced(closed, stored, found, ended)
        assert isinstance(revisit, RevisitRecord | ChangeRecord)
        return [replace(revisit, evidence=evidence), *records]

    def _unchanged(self, closed: Closed, stored: StoredVersion, discoveries: Discoveries, now: float) -> RevisitRecord:
        """Apply the most frequent outcome: the server answered that the page has not changed, so nothing was read."""
        page, host = closed.visit.page, closed.visit.host
        self._crawl_state.count_revisit(closed.answer, None)
        self._features.visited(_ended(closed, closed.verdict, Outlinks(), discoveries, now))
        self._crawl_state.done_with(page)
        evidence = self._revisits.ended(page, host, Finding.SAME, now)
        return _revisit_record(closed, stored, Finding.SAME, now, evidence, self._crawl_state.host_state(host, None))

    def _has_new_links(
        self, closed: Closed, comparison: Comparison, outlinks: Outlinks, led_to: frozenset[int]
    ) -> bool:
        if closed.digest is None or closed.digest.page is None:
            return False
        urls = closed.digest.page.link_urls
        return has_new_links(comparison.links, urls, outlinks.targets, led_to, self._known.find)

    def _replaced(self, closed: Closed, stored: StoredVersion, found: Finding, ended: Ended) -> list[Record]:
        crawl_state, digest, page = self._crawl_state, closed.digest, closed.visit.page
        record = visit_record(
            visit=crawl_state.next_visit(),
            page=page,
            attempt=stored.attempt + 1,
            started_at=closed.started,
            verdict=ended.verdict,
            answer=closed.answer,
            digest=digest if found is not Finding.SAME else _without_content(digest),
            parsed=None if digest is None else digest.page,
            outlinks=ended.outlinks,
            discoveries=ended.discoveries,
            host_state=crawl_state.host_state(closed.visit.host, crawl_state.host_error(ended.verdict)),
        )
        if found is Finding.SAME:
            return [RevisitRecord(page, ended.now, body=_missing_body(stored, digest)), record]
        self._features.replaced(ended)
        return [self._change(closed, stored, found, ended.now), record, *ended.after]

    def _change(self, closed: Closed, stored: StoredVersion, found: Finding, now: float) -> ChangeRecord:
        comparison = closed.comparison or _UNREAD
        return ChangeRecord(
            stored.page,
            now,
            found.value,
            share=comparison.share if closed.comparison is not None else None,
            before=comparison.before or None,
            keeps=self._revisits.settings.keep_texts,
            forgets=closed.verdict.kind is not OutcomeKind.FETCHED,
        )


def _ended(closed: Closed, verdict: Verdict, outlinks: Outlinks, discoveries: Discoveries, now: float) -> Ended:
    digest = closed.digest
    return Ended(
        visit=closed.visit,
        url=closed.url,
        verdict=verdict,
        answer=closed.answer,
        digest=digest,
        outlinks=outlinks,
        discoveries=discoveries,
        now=now,
        is_revisit=True,
    )


def _leads_elsewhere(outlinks: Outlinks, closed: Closed, led_to: frozenset[int]) -> bool:
    """Return whether the links of a page with unchanged content have changed, for instance in its menus."""
    return (
        outlinks.columns is not None
        and closed.verdict.kind is OutcomeKind.FETCHED
        and set(outlinks.columns.targets) != set(led_to)
    )
