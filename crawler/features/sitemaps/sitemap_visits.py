"""Carries out visits to sitemaps and feeds: fetches and reads them, and adds the pages they list."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Final, Protocol

from hinterland.crawler.features.recrawl.signals import SignalKind
from hinterland.crawler.features.sitemaps.entries import DEFAULT_BOUNDS, SitemapEntry
from hinterland.crawler.features.sitemaps.entry_records import entry_records
from hinterland.crawler.features.sitemaps.outcomes import ASKER, Sitemaps
from hinterland.crawler.features.sitemaps.reading_visit import SitemapVisit
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.decoding import ContentDecodingError, decode_content
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.validators import NO_VALIDATORS, Validators
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.page_visits import LINKS_AT_ONCE
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.urls.hosts import path_of

_BLOCK: Final = 65_536
_MAX_BYTES: Final = 10_485_760
"""The most bytes fetched of one sitemap. Unpacked it may have five times as many, as sitemaps.org allows."""


class VisitedAt(Protocol):
    """Knows when stored pages were last visited."""

    def visited_at(self, page: int) -> float | None:
        """Return when a stored page was last visited, in epoch seconds; None for other pages."""


class SitemapVisits:
    """Carries out visits; `carry_out` returns once the pages that the sitemap lists are committed to the store.

    If the reading of a sitemap ends early, the entries read until then are used.
    """

    def __init__(
        self, sitemaps: Sitemaps, revisits: VisitedAt | None, workings: Workings, *, keeps_entries: bool = False
    ) -> None:
        """Visit sitemaps for one crawl; `revisits` knows when stored pages were last visited.

        `keeps_entries` says whether to store which pages each sitemap lists.
        """
        self._sitemaps = sitemaps
        self._keeps_entries = keeps_entries
        self._revisits = revisits
        self._workings = workings
        self._components = workings.components
        self._io = workings.io
        self._visits = workings.visits
        self._crawl_state = workings.crawl_state
        self._attribution = workings.attribution
        self._limits = BodyLimits(None, _MAX_BYTES, cut=True)
        self._schedule = workings.schedule

    async def carry_out(self, visit: Visit) -> None:
        """Visit a sitemap if its host's robots.txt allows it."""
        components, now = self._components, self._io.now
        assert visit.host_task is not None
        sitemaps, url = self._sitemaps, visit.host_task.url
        if sitemaps.needs_permission(url):
            rules = await self._visits.rules_of(visit, visit.host)
            if not rules.allows(path_of(url)):
                components.frontier.released(visit, now())
                sitemaps.failed(url, 403, now())
                self._schedule()
                return
        try:
            fetched = await self._fetched(visit, sitemaps, url)
        except Exception:
            raise  # see give_up
        except BaseException:
            sitemaps.put_off(url)
            raise
        if fetched is None:
            if not components.frontier.ask_file(visit.host, url, now(), ASKER):
                sitemaps.put_off(url)
            self._schedule()
            return
        answer, verdict = fetched
        records = self._attribution.probe_answered(visit, verdict, answer, now())
        self._schedule()
        self._io.writer.submit(*records)
        await self._take_up(sitemaps, url, answer, verdict)

    def give_up(self, visit: Visit, now: float) -> None:
        """Give up a visit after an unexpected error."""
        if self._components.frontier.is_under_way(visit):
            self._components.frontier.broken_off(visit, now)
        assert visit.host_task is not None
        if self._sitemaps.asks_for(visit.host_task.url):
            self._sitemaps.failed(visit.host_task.url, None, now)

    async def _fetched(self, visit: Visit, sitemaps: Sitemaps, url: str) -> tuple[Answer | NoAnswer, Verdict] | None:
        """Fetch a sitemap; return None if its host could not be visited now."""
        row = sitemaps.row_of(url)
        known = None if row is None or row.fetched_at is None else Validators(row.etag, row.last_modified)
        answer = await self._visits.fetched(visit, url, self._limits, known or NO_VALIDATORS)
        return None if answer is None else (answer, judge(answer, url, self._components.canonicaliser, known))

    async def _take_up(self, sitemaps: Sitemaps, url: str, answer: Answer | NoAnswer, verdict: Verdict) -> None:
        now, known = self._io.now(), self._components.known
        if verdict.is_same:
            sitemaps.not_modified(url, now)
        elif verdict.kind is OutcomeKind.FETCHED:
            assert isinstance(answer, Answer)
            await self._read(sitemaps, url, answer)
        elif verdict.kind is OutcomeKind.REDIRECTED and verdict.target is not None:
            sitemaps.moved(url, verdict.target, self._components.frontier, known.find_host_of, now)
        else:
            sitemaps.failed(url, verdict.status, now)
        self._schedule()
        if (record := sitemaps.changed()) is not None:
            await self._io.writer.submit(record)

    async def _read(self, sitemaps: Sitemaps, url: str, answer: Answer) -> None:
        reading, began = sitemaps.visit(url, answer.content_type), self._io.now()
        body = await asyncio.to_thread(_unpacked, answer)
        for block in _blocks(body):
            if reading.is_finished:
                break
            await self._name(await asyncio.to_thread(reading.feed, block), reading, url, began)
        await self._name(await asyncio.to_thread(reading.close), reading, url, began)
        sitemaps.read(url, reading, self._io.now(), answer.etag, answer.last_modified)

    async def _name(self, entries: list[SitemapEntry], reading: SitemapVisit, sitemap: str, began: float) -> None:
        """Add the pages that a sitemap lists to the crawl; its reading began at `began`, in epoch seconds."""
        kind = SignalKind.FEED if reading.has_articles else SignalKind.SITEMAP
        for start in range(0, len(entries), LINKS_AT_ONCE):
            some = entries[start : start + LINKS_AT_ONCE]
            find = partial(self._take_up_entries, some, kind)
            await self._workings.commits(self._crawl_state.found(find, entries[start].url))
            if self._keeps_entries and not reading.has_articles:
                pages = [(self._components.known.find(entry.url), entry) for entry in some]
                self._io.writer.submit(*entry_records(pages, sitemap, began))

    def _take_up_entries(self, entries: list[SitemapEntry], kind: SignalKind, discoveries: Discoveries) -> None:
        """Add the pages that a sitemap lists, and signal those that have changed."""
        for entry in entries:
            page = self._components.known.add_found(entry.url, discoveries)
            visited_at = None if self._revisits is None else self._revisits.visited_at(page)
            self._sitemaps.entry(page, entry, kind, visited_at=visited_at)


def _unpacked(answer: Answer) -> bytes:
    """Return the body without its content coding; if it cannot be decoded, return it as it was sent."""
    try:
        return decode_content(answer.body, answer.content_encoding, DEFAULT_BOUNDS.max_bytes)
    except ContentDecodingError:
        return answer.body  # perhaps a packed file whose server declares that as content coding, too


def _blocks(body: bytes) -> Iterator[bytes]:
    for start in range(0, len(body), _BLOCK):
        yield body[start : start + _BLOCK]
