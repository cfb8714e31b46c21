"""Applies finished visits, seeds and new depths to the state in memory; returns the records for the store. Pure.

Everything here is synchronous, so it is atomic between two awaits of the crawl loop. New pages get their numbers and
their record in one step, and the store receives pages in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind, final_state
from hinterland.crawler.fetching.retry_after import asked_to_wait
from hinterland.crawler.fetching.retry_rules import FINAL
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.depths import Depths
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.waiting_pages import BEHIND
from hinterland.crawler.loop.decisions.closed_visits import Closed
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.internal_errors import InternalErrors
from hinterland.crawler.loop.decisions.moments import NONE, Ended, PagesFound
from hinterland.crawler.loop.decisions.page_attempts import PageAttempts
from hinterland.crawler.loop.decisions.restored import RestoredState
from hinterland.crawler.loop.decisions.statistics import Tally
from hinterland.crawler.loop.decisions.visit_records import LinkNumbering, NumberedLinks, Outlinks, visit_record
from hinterland.crawler.parsing.html.parsed_page import ParsedPage
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import DiscoveriesRecord, LinkColumns, Record, SettledRecord, VisitRecord

_MOST_NOT_STORED: Final = 30


class CrawlState:
    """Adds hosts and pages, and counts visits; no other object of a crawl does this. Mutable."""

    def __init__(
        self,
        components: CrawlComponents,
        settings: Settings,
        start: RestoredState,
        now: Callable[[], float],
        internal_errors: InternalErrors | None = None,
    ) -> None:
        """Continue from `start`; `now` returns epoch seconds."""
        self._frontier = components.frontier
        self._known = components.known
        self._policy = components.policy
        self._followers = (components.policy.fetched, *components.followers, components.features.links_read)
        self._urls = components.urls
        self._features = components.features
        self._reopened: set[int] = set()
        self._max_retry_after = settings.politeness.max_retry_after_seconds
        self._now = now
        self._retry_rules = components.retry_rules
        self._attempts = PageAttempts(
            components.retry_rules, settings.fetching.max_attempts, start.attempts, start.charges
        )
        self._numbering = LinkNumbering(components.known, settings, start.redirects)
        self._addresses: dict[int, str] = {}
        self.fetched_before = start.pages_fetched
        self.last_visit = start.last_visit
        self.fetched_since_refresh = start.fetched_since_refresh
        self.tally = Tally()
        self.internal_errors = internal_errors or InternalErrors()
        self._lost = set[int]()
        self._not_stored = 0
        self.is_broken = False
        """Whether memory and store no longer agree, so that the crawl must end."""

    @property
    def pages_fetched(self) -> int:
        """The number of HTML pages fetched, including earlier runs."""
        return self.fetched_before + self.tally.outcomes[OutcomeKind.FETCHED]

    # ---------------------------------------------------------------- discoveries

    def seeded(self, urls: Sequence[str]) -> DiscoveriesRecord:
        """Add seeds, given as canonical URLs; return the record of the new hosts and pages."""
        discoveries = Discoveries()
        self._known.add_seeds(urls, discoveries)
        given = {page for page in map(self._known.find, urls) if page is not None}  # every shard gets all seeds
        self.discovered(discoveries, self._now(), given)
        return discoveries.record()

    def take_up(self, find: Callable[[Discoveries], Collection[int]]) -> DiscoveriesRecord:
        """Add everything that `find` discovers, or nothing if it fails; return the record.

        `find` returns the pages that other shards already know.
        """
        discoveries = Discoveries()
        with self._whole():
            given = find(discoveries)
            self.discovered(discoveries, self._now(), given)
        return discoveries.record()

    def depths_relaxed(self, depths: Depths, followed: Depths) -> DiscoveriesRecord:
        """Apply recomputed depths, and return the record of the changes; see KnownPages.relax_depths."""
        discoveries = Discoveries()
        self._known.relax_depths(depths, followed, discoveries)
        self.discovered(discoveries, self._now())
        return discoveries.record()

    def host_named(self, url: str) -> tuple[int, DiscoveriesRecord]:
        """Return the number of a canonical URL's host, and a record, which is empty if the host was known."""
        host = -1

        def find(discoveries: Discoveries) -> Collection[int]:
            nonlocal host
            host = self._known.host_number(host_of(url), discoveries)
            return NONE

        record = self.take_up(find)
        return host, record

    def part_read(self, page: int, parsed: ParsedPage, part: slice, links: NumberedLinks) -> DiscoveriesRecord:
        """Assign page numbers to one batch of a page's very many links, before its visit is closed."""

        def number(discoveries: Discoveries) -> None:
            links.targets += self._numbering.part_of_page(page, parsed, part, discoveries)
            links.left_out += discoveries.urls_left_out

        numbered = len(links.targets) + len(parsed.link_urls[part])
        record = self.found(number, f"links {part.start} to {part.stop} of page {page}")
        links.targets += [-1] * (numbered - len(links.targets))
        return record

    def found(self, find: Callable[[Discoveries], None], where: str) -> DiscoveriesRecord:
        """Add what `find` discovers; if it fails, keep what it had discovered before the error.

        `where` says in the log what was being read.
        """
        discoveries, extent = Discoveries(), self._known.extent
        try:
            find(discoveries)
        except Exception as error:
            self._mend(discoveries, extent)
            if self.is_broken:
                raise
            self.internal_errors.note(where, -1, error)
        self.discovered(discoveries, self._now())
        return discoveries.record()

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Context manager: mark the state as broken if an error leaves pages or hosts that the store will not get."""
        extent = self._known.extent
        try:
            yield
        except Exception:
            self.is_broken |= self._known.extent != extent
            raise

    def _mend(self, discoveries: Discoveries, extent: tuple[int, int]) -> None:
        """Mark the state as broken if the discoveries lack a page or host that got its number before an error.

        `extent` is the number of pages and hosts that were known before these discoveries.
        """
        pages, hosts = self._known.extent
        found = extent[0] + len(discoveries.new_pages), extent[1] + len(discoveries.new_hosts)
        if found != (pages, hosts):
            self.is_broken = True

    def discovered(self, discoveries: Discoveries, now: float, given: Collection[int] = NONE) -> None:
        """Report new hosts and newly waiting pages to the frontier, the policy and the features.

        `given` are the pages that other shards already know.
        """
        if discoveries.is_announced:
            return
        was_broken, self.is_broken = self.is_broken, True
        self._tell(discoveries, now, given)
        self.is_broken, discoveries.is_announced = was_broken, True

    def _tell(self, discoveries: Discoveries, now: float, given: Collection[int]) -> None:
        found = PagesFound(discoveries, self._numbering.redirects_to, given)
        self._features.discovered(found)
        for _ in discoveries.new_hosts:
            self._frontier.add_host()
        if not discoveries.admitted:
            return
        pages = np.array(discoveries.admitted, np.int32)
        depths = np.array([self._known.depth_of(page) for page in discoveries.admitted], np.int32)
        urgencies = self._policy.discovered(pages, depths)
        if found.behind:
            urgencies = urgencies.copy()
            urgencies[found.behind] = BEHIND
        self._frontier.add(pages, np.array(discoveries.admitted_hosts, np.int32), urgencies, now)
        for number, url in zip(discoveries.admitted, discoveries.admitted_urls, strict=True):
            if url is not None:
                self._urls.remember(number, url)

    def resolved(self, host: int, address: str) -> None:
        """Note the address of a host."""
        self._addresses[host] = address

    # ---------------------------------------------------------------- finished visits

    def closed(self, closed: Closed) -> list[Record]:
        """Apply the outcome of a visit to a page; return the records for the store, in order."""
        return self.contained(closed, self._closed)

    def contained(self, closed: Closed, close: Callable[[Closed, Discoveries], list[Record]]) -> list[Record]:
        """Close a visit by calling `close`.

        If that fails, an internal error is recorded, but what was discovered before the error is kept.
        """
        left_out = 0 if closed.links is None else closed.links.left_out
        discoveries, extent = Discoveries(urls_left_out=left_out), self._known.extent
        try:
            records = close(closed, discoveries)
        except Exception as error:
            self._mend(discoveries, extent)
            if self.is_broken:
                raise
            closed = closed.lost(self.internal_errors.note(closed.url, closed.visit.host, error))
            records = close(closed, discoveries)
        if closed.verdict.kind is OutcomeKind.INTERNAL_ERROR:
            self._lost.add(closed.visit.page)
        else:
            self.internal_errors.ended_well()
        return records

    def _closed(self, closed: Closed, discoveries: Discoveries) -> list[Record]:
        page, digest, now = closed.visit.page, closed.digest, self._now()
        parsed = None if digest is None else digest.page
        if page in self._lost and closed.verdict.kind is not OutcomeKind.INTERNAL_ERROR:
            self._lost.discard(page)
            self.tally.outcomes[OutcomeKind.INTERNAL_ERROR] -= 1  # the page was tried again after all
        verdict, outlinks = self.numbered(closed, discoveries)
        ended = Ended(
            visit=closed.visit,
            url=closed.url,
            verdict=verdict,
            answer=closed.answer,
            digest=digest,
            outlinks=outlinks,
            discoveries=discoveries,
            now=now,
        )
        self._features.read(ended)
        self._follow(page, outlinks.columns)
        self.discovered(discoveries, now)
        attempt = self._attempts.visited(page)
        retry_at = ended.retry_at = self.retry_at(page, verdict.kind, closed.answer, now)
        self._features.visited(ended)
        if retry_at is None:
            self.done_with(page)
        else:
            self._urls.remember(page, closed.url)  # the store may not have it yet
        record = visit_record(
            visit=self.last_visit + 1,
            page=page,
            attempt=attempt,
            started_at=closed.started,
            verdict=verdict,
            answer=closed.answer,
            digest=digest,
            parsed=parsed,
            outlinks=outlinks,
            discoveries=discoveries,
            host_state=self.host_state(closed.visit.host, self.host_error(verdict)),
            retry_at=retry_at,
        )
        self._count(verdict.kind, retry_at, closed.answer, digest)
        if record.cut:
            self.tally.cut.update(record.cut.keys())
        return [*ended.before, record, *ended.after]

    def not_counted(self, page: int, url: str, answer: Answer | NoAnswer) -> None:
        """Queue a page again after a visit that does not count."""
        self._frontier.retry(page, self._now())
        self._urls.remember(page, url)
        self.tally.retries += 1
        self.count_revisit(answer, None)

    def reopened(self, page: int, url: str, discoveries: Discoveries) -> None:
        """Queue a page again that was recorded as a redirect; the visit that found the redirect does not count.

        `discoveries` belong to the visit that caused the call.
        """
        self._frontier.ask_again(page, self._known.host_of(page), self._now())
        self._urls.remember(page, url)
        self._attempts.reopened(page)
        self._reopened.add(page)
        discoveries.readmitted.append((page, self._known.depth_of(page), 1))
        self.tally.outcomes[OutcomeKind.REDIRECTED] -= 1
        self.tally.links -= 1  # the link of the redirect, which the page's own links replace
        self.tally.retries += 1

    def redirected_to(self, page: int, redirects: int) -> None:
        """Note how many redirects in a row led to a page in another shard."""
        self._numbering.redirected_to(page, redirects)

    def charged(self, pages: Sequence[int]) -> list[Record]:
        """Count the last failure of each page as the page's own fault; return records of pages not tried again."""
        records: list[Record] = []
        for page in pages:
            if page in self._lost:
                continue  # an internal error has ended it
            at = self._attempts.charge(page, self._now())
            if at is not None:
                self._frontier.retry(page, at)
                continue
            kind, is_revisit = self._attempts.kind(page), self._features.adds_no_page(page)
            self.done_with(page)
            if not is_revisit:
                self.tally.outcomes[kind] += 1
                self.tally.retries -= 1  # the last visit was counted as one to retry
                records.append(SettledRecord(page, final_state(kind).value))
            records += self._features.settled(page, kind, self._now(), is_revisit=is_revisit)
        return records

    def not_stored(self, record: Record, where: str, error: Exception) -> None:
        """Note that the store could not hold a record, and stored a reduced one.

        Raises the error if that happens to most visits, since the store is then probably damaged.
        """
        self.internal_errors.tell(where, error)
        self._not_stored += 1
        if self._not_stored >= _MOST_NOT_STORED and 2 * self._not_stored > self.tally.visits:
            raise error
        if not isinstance(record, VisitRecord) or record.retry_at is not None:
            return
        outcomes, kind = self.tally.outcomes, OutcomeKind(record.outcome)
        if outcomes[kind] > 0:  # revisits are not counted there
            outcomes[kind] -= 1
            outcomes[OutcomeKind.INTERNAL_ERROR] += 1

    def charges(self, page: int) -> int:
        """Return how many failures were certainly the page's own."""
        return self._attempts.charges(page)

    def host_state(self, host: int, error: str | None) -> HostStateRecord:
        """Return the record of a host's politeness state, with `error` as its last error."""
        state = self._frontier.politeness_of(host)
        return HostStateRecord(
            number=host,
            address=self._addresses.get(host),
            next_fetch=state.next_fetch,
            rest_seconds=state.rest,
            failures=state.failures,
            pages_fetched=state.fetched,
            is_given_up=state.given_up,
            last_error=error,
        )

    def _follow(self, page: int, columns: LinkColumns | None) -> None:
        if columns is not None:
            self.tally.links += len(columns.targets)
            if page in self._reopened:
                return  # followers know the page already, from the redirect
            targets = dict.fromkeys(columns.targets)
            outlinks = np.fromiter(targets, np.int32, len(targets))
            for follow in self._followers:
                follow(page, outlinks)

    def retry_at(self, page: int, kind: OutcomeKind, answer: Answer | NoAnswer | None, now: float) -> float | None:
        """Return when to try a page again, in epoch seconds; None if its outcome is final.

        If the host may be at fault, the frontier decides when to retry; the returned time is only recorded in the
        store.
        """
        rule = self._retry_rules.of(kind)
        if rule is FINAL:
            return None
        asked = asked_to_wait(answer, now) or 0.0
        not_before = now + min(asked, self._max_retry_after)
        self._attempts.failed(page, kind, not_before)
        if rule.blames_host:
            return max(now + rule.wait_seconds, not_before)
        at = self._attempts.charge(page, now)
        if at is not None:
            self._frontier.retry(page, at)
        return at

    def host_error(self, verdict: Verdict) -> str | None:
        """Return the error to record for the host; None if the visit did not fail because of the host."""
        if not self._retry_rules.of(verdict.kind).blames_host:
            return None
        return f"{verdict.kind}: {verdict.detail or f'status {verdict.status}'}"

    def done_with(self, page: int) -> None:
        """Forget the attempts of a page that will not be visited again."""
        self._attempts.ended(page)
        self._numbering.done_with(page)

    def numbered(self, closed: Closed, discoveries: Discoveries) -> tuple[Verdict, Outlinks]:
        """Return the verdict on a visit, and the page numbers of its links; see LinkNumbering.of_visit."""
        parsed = None if closed.digest is None else closed.digest.page
        targets = None if closed.links is None else closed.links.targets
        return self._numbering.of_visit(closed.visit.page, closed.url, closed.verdict, parsed, discoveries, targets)

    def next_visit(self) -> int:
        """Count a visit that changes the stored version of a page; return the number of the visit."""
        self.last_visit += 1
        return self.last_visit

    def count_revisit(self, answer: Answer | NoAnswer | None, digest: PageDigest | None) -> None:
        """Count a visit that adds no page."""
        self.tally.visits += 1
        self._count_bytes(answer, digest)

    def _count(
        self, kind: OutcomeKind, retry_at: float | None, answer: Answer | NoAnswer | None, digest: PageDigest | None
    ) -> None:
        tally = self.tally
        tally.visits += 1
        self.last_visit += 1
        if retry_at is None:
            tally.outcomes[kind] += 1
        else:
            tally.retries += 1
        self._count_bytes(answer, digest)
        if kind is OutcomeKind.FETCHED:
            self.fetched_since_refresh += 1

    def _count_bytes(self, answer: Answer | NoAnswer | None, digest: PageDigest | None) -> None:
        tally = self.tally
        if isinstance(answer, Answer):
            tally.wire_bytes += len(answer.body)
        if digest is not None:
            tally.body_bytes += digest.body_bytes
            tally.bad_links += digest.page.bad_links if digest.page is not None else 0
