"""Imports archives into an open store.

Archives are read in a thread, parsed in the processes of a crawl, and written in batches.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hinterland.crawler.assembly.crawl_features import PAGE_RECORDS
from hinterland.crawler.assembly.restoring import restore_known
from hinterland.crawler.features.extraction.feature import Extraction
from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.decisions.endings import IMPORTED, EndReason
from hinterland.crawler.loop.decisions.visit_records import moved_by_field
from hinterland.crawler.loop.internal_error_log import tells_of_lost
from hinterland.crawler.loop.page_records import PageRecords
from hinterland.crawler.parsing.documents.reading import accepted
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.parsing.pool.config import parser_config, parser_processes
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.crawler.settings import Settings, to_json
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from hinterland.library.importing.format import Limits
from hinterland.library.importing.formats.index_answers import KIND as INDEX_LINE
from hinterland.library.importing.formats.index_answers import index_answer
from hinterland.library.importing.formats.warc import items_in
from hinterland.library.importing.intake import Captures, Intake, is_robots
from hinterland.library.importing.items import (
    ArchivedLinks,
    ArchivedLogin,
    ArchivedResponse,
    ArchivedRevisit,
    ArchiveItem,
    Skipped,
)
from hinterland.library.importing.link_data import LinkDataReader
from hinterland.library.importing.opening import archive_items, is_index_answer
from hinterland.library.importing.ranges import COMMON_CRAWL, RangedArchives
from hinterland.library.importing.revisits import WantedOriginals
from hinterland.storage.kept_bodies import KeptBodies
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.opened import Opened
from hinterland.storage.values.records import DiscoveriesRecord, Record

_BATCH = 64
_BATCH_BYTES = 32 << 20
_ALREADY = "the store has one as new or newer"
_REPEATED = "the same payload is archived elsewhere"
_Capture = ArchivedResponse | ArchivedRevisit | ArchivedLinks


@dataclass(slots=True)
class ImportReport:
    """Counts what an import has done so far. Mutable.

    `outcomes` counts the pages written, by outcome, and `robots` the robots.txt files. `skipped` counts records of
    archives by kind and reason, and `extracted` the records that rules found in pages.
    """

    files: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    link_data: int = 0
    robots: int = 0
    links: int = 0
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    extracted: int = 0

    @property
    def pages(self) -> int:
        """The number of pages written."""
        return self.outcomes.total()

    @property
    def known_already(self) -> int:
        """The number of records skipped because the store has the same capture or a newer one."""
        return sum(count for (_, reason), count in self.skipped.items() if reason == _ALREADY)

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "files": self.files,
            "pages": self.pages,
            "outcomes": dict(self.outcomes.most_common()),
            "from_link_data": self.link_data,
            "robots": self.robots,
            "links": self.links,
            "extracted": self.extracted,
            "skipped": [
                {"record": kind, "reason": reason, "records": count}
                for (kind, reason), count in self.skipped.most_common()
            ],
        }


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The request for an import.

    `local` holds canonical URLs that define the domain; without any, every host with an HTML page is local. `rules` and
    `hooks` say what to extract; see ParserConfig. `archives_at` is the base URL of the archives that an answer of an
    archive index names.
    """

    paths: Sequence[Path]
    settings: Settings
    local: Sequence[str]
    command: Sequence[str]
    rules: bytes = b""
    hooks: Sequence[str | bytes] = ()
    archives_at: str = COMMON_CRAWL


async def import_archives(
    request: ImportRequest, store: LinkStore, now: Callable[[], float], watch: Callable[[ImportReport], None]
) -> ImportReport:
    """Import the files in their order; `watch` is called after every batch.

    Raises OSError if a file cannot be opened or a server of archives does not answer, and the errors of the store.
    """
    settings = request.settings
    made = [(factory, factory.under(settings)) for factory in PAGE_RECORDS]
    orders = [factory.reader_under(settings) for factory, feature in made if feature is not None]
    readers = [order for order in orders if order is not None]
    features = [feature for _, feature in made if feature is not None]
    pool = ParserPool(
        parser_config(settings, page_readers=readers, rules=request.rules, hooks=request.hooks),
        processes=parser_processes(settings),
        timeout_seconds=settings.parsing.timeout_seconds,
    )
    report = ImportReport()
    intake, seeds = await _intake(request, store)
    run = await store.begin_run(request.command, to_json(settings), now())
    if tables := [table for feature in features for table in feature.tables]:
        await store.set_extraction(tables)
    store.on_lost_record = tells_of_lost()
    await store.write([seeds])
    reason = EndReason.ABORTED.label
    try:
        async with pool:
            taking = _Taking(settings, intake, pool, store, report, watch, features=features)
            for path in request.paths:
                if is_index_answer(path):
                    async with RangedArchives(request.archives_at, settings, now) as archives:
                        await taking.take_pieces(path, archives)
                else:
                    await taking.take(path)
                report.files += 1
            await taking.take_originals([path for path in request.paths if not is_index_answer(path)])
        reason = IMPORTED[0]
    finally:
        await store.end_run(run, reason, {}, now())
    return report


async def _intake(request: ImportRequest, store: LinkStore) -> tuple[Intake, DiscoveriesRecord]:
    """Return an intake that knows what the store knows, and the hosts of the local URLs."""
    settings = request.settings
    scope = Scope(settings.scope)
    known = KnownPages(scope, max_depth=settings.scope.depth_limit)
    captures = Captures()
    hosts = await store.ask(lambda stored: stored.hosts.stored())
    if hosts:
        await restore_known(store, scope, known)
    async for page, at, attempt in store.state.captures():
        captures.note(page, at, attempt)
    discoveries = Discoveries()
    known.add_seeds(request.local, discoveries)
    intake = Intake(
        settings,
        scope=scope,
        known=known,
        captures=captures,
        hosts=hosts,
        robots_at=await store.ask(lambda stored: stored.hosts.robots_fetched_at()),
        last_visit=await store.ask(lambda stored: stored.pages.last_visit()),
        takes_all_hosts=not request.local,
    )
    return intake, discoveries.record()


class _Taking:
    """Imports in batches: parses new pages in parallel, numbers them in their order, and commits the batch."""

    def __init__(
        self,
        settings: Settings,
        intake: Intake,
        pool: ParserPool,
        store: LinkStore,
        report: ImportReport,
        watch: Callable[[ImportReport], None],
        features: Sequence[PageRecords],
    ) -> None:
        self._intake = intake
        self._features = features
        self._pool = pool
        self._store = store
        self._report = report
        self._watch = watch
        self._wanted = WantedOriginals()
        kept = settings.storage
        self._bodies = KeptBodies(store.path, keeps_all=kept.keep_bodies, small_mb=kept.keep_bodies_mb)
        self._canonicaliser = Canonicaliser.under(settings.urls)
        fetching = settings.fetching
        self._limits = Limits(accepted(fetching.content_types, fetching.documents), fetching.max_body_bytes)
        self._reader = LinkDataReader(
            LinkResolver(self._canonicaliser), settings.identity.name, settings.parsing.max_links
        )

    async def take(self, path: Path) -> None:
        """Import the items of a file."""
        await self._take_items(archive_items(path, self._reader, self._limits))

    async def take_originals(self, paths: Sequence[Path]) -> None:
        """Read the files again to find answers that revisit records repeat, if there are such records."""
        for path in paths:
            if self._wanted:
                await self._take_items(self._originals(path))
        if missing := len(self._wanted):
            self._report.skipped["revisit", "the answer that it repeats is not in these files"] += missing

    def _originals(self, path: Path) -> Iterator[ArchiveItem]:
        for item in archive_items(path, self._reader, self._limits):
            url = self._canonicaliser.canonical(item.url) if isinstance(item, ArchivedResponse) else None
            if isinstance(item, ArchivedResponse) and url is not None:
                yield from self._wanted.found(item, url)

    async def _take_items(self, items: Iterator[ArchiveItem]) -> None:
        reading = asyncio.create_task(asyncio.to_thread(_batch, items))
        try:
            while batch := await reading:
                reading = asyncio.create_task(asyncio.to_thread(_batch, items))
                await self._take_batch(batch)
                self._watch(self._report)
        finally:
            await asyncio.wait([reading])  # a thread cannot be stopped in its read

    async def take_pieces(self, path: Path, archives: RangedArchives) -> None:
        """Import the records that an answer of an archive index names, except those that are in the store."""
        async for batch in self._batches_of_pieces(path, archives):
            await self._take_batch(batch)
            self._watch(self._report)

    async def _batches_of_pieces(self, path: Path, archives: RangedArchives) -> AsyncIterator[list[ArchiveItem]]:
        for piece in index_answer(path):
            if isinstance(piece, Skipped):
                yield [piece]
            elif (url := self._canonicaliser.canonical(piece.url)) is None:
                yield [Skipped(INDEX_LINE, "no usable URL")]
            elif not self._intake.is_news(url, piece.captured_at):
                yield [Skipped("response", _ALREADY)]
            elif isinstance(found := await archives.read(piece), str):
                yield [Skipped(INDEX_LINE, found)]
            else:
                yield list(items_in(found, self._reader, self._limits))

    async def _take_batch(self, batch: Sequence[ArchiveItem]) -> None:
        news = [item for item in map(self._news, batch) if item is not None]
        digests = await asyncio.gather(*(self._digest(item, url, verdict) for item, url, verdict in news))
        records: list[Record] = self._marks(batch)
        pages = set[str]()
        for (item, url, verdict), digest in zip(news, digests, strict=True):
            if url in pages:  # one transaction takes one visit to a page
                await self._store.write(records)
                records, pages = [], set()
            if not self._intake.is_news(url, item.captured_at):
                self._skip(item, _ALREADY)
                continue
            if isinstance(item, ArchivedRevisit):
                if (answered := self._answer_of(item, url)) is None:
                    continue
                item, verdict = answered, self._verdict(answered, url)
            pages.add(url)
            records += self._records(item, url, verdict, digest)
        if records:
            await self._store.write(records)

    def _marks(self, batch: Sequence[ArchiveItem]) -> list[Record]:
        """Return records that mark URLs requested with a login, so that public copies leave them out."""
        logins = [(self._canonicaliser.canonical(item.url), item) for item in batch if isinstance(item, ArchivedLogin)]
        return [Opened(url, item.opened_by) for url, item in logins if url is not None]

    def _answer_of(self, item: ArchivedRevisit, url: str) -> ArchivedResponse | None:
        """Return the answer that a revisit repeats, if it is known and newer than what the store has.

        If it is not known, note that its original must be read again.
        """
        original_url = self._canonicaliser.canonical(item.original_url)
        if original_url is None:
            self._skip(item, "no usable URL")
        elif original_url == url and self._intake.has(url, item.original_at):
            self._skip(item, _REPEATED)
        elif item.answer is not None:
            return ArchivedResponse(item.url, item.captured_at, item.answer, item.address)
        elif not self._wanted.add((original_url, item.original_at), item, url):
            self._skip(item, "too many answers would have to be read again")
        return None

    def _news(self, item: ArchiveItem) -> tuple[_Capture, str, Verdict | None] | None:
        """Return an item with its canonical URL and, for a page, the verdict on its answer; None if skipped."""
        if isinstance(item, ArchivedLogin):
            return None
        if isinstance(item, Skipped):
            self._report.skipped[item.kind, item.reason] += 1
            return None
        url = self._canonicaliser.canonical(item.url)
        if url is None:
            self._skip(item, "no usable URL")
            return None
        if not self._intake.is_news(url, item.captured_at):
            self._skip(item, _ALREADY)
            return None
        return item, url, self._verdict(item, url) if isinstance(item, ArchivedResponse) else None

    def _verdict(self, item: ArchivedResponse, url: str) -> Verdict | None:
        if is_robots(url):
            return None
        verdict = judge(item.answer, url, self._canonicaliser)
        return moved_by_field(verdict, item.answer, url, self._canonicaliser)

    def _skip(self, item: _Capture, reason: str) -> None:
        self._report.skipped[_KINDS[type(item)], reason] += 1

    async def _digest(self, item: _Capture, url: str, verdict: Verdict | None) -> PageDigest | None:
        if verdict is None or verdict.kind is not OutcomeKind.FETCHED:
            return None
        assert isinstance(item, ArchivedResponse)
        answer = item.answer
        assert isinstance(answer, Answer)
        raw = RawPage(
            url,
            answer.body,
            answer.content_encoding,
            answer.content_type,
            answer.robots_tags,
            answer.link_fields,
            refresh=answer.refresh,
            keeps_body=self._bodies.are_kept() and not item.is_rebuilt,
        )
        return await self._pool.parse(raw)

    def _records(
        self, item: ArchivedResponse | ArchivedLinks, url: str, verdict: Verdict | None, digest: PageDigest | None
    ) -> list[Record]:
        report = self._report
        if isinstance(item, ArchivedResponse) and verdict is None:
            found = self._intake.robots(item, url)
            report.robots += bool(found)
            if not found:
                self._skip(item, "a robots.txt that moved or failed")
            return found
        if isinstance(item, ArchivedLinks):
            record = self._intake.links(item)
            report.link_data += 1
        else:
            assert verdict is not None
            if digest is not None and digest.page is None:
                verdict = Verdict(OutcomeKind(digest.failure), digest.detail, verdict.status)
            record = self._intake.response(item, url, verdict, digest)
        report.outcomes[record.outcome] += 1
        report.links += 0 if record.links is None else len(record.links.targets)
        answer = item.answer if isinstance(item, ArchivedResponse) else None
        found_records: list[Record] = []
        for feature in self._features:
            of_page = feature.records_of(record.page, answer, digest, is_first=record.attempt == 1)
            found_records += of_page
            if isinstance(feature, Extraction):
                report.extracted += sum(len(each.records) for each in of_page)
        return [record, *found_records]


_KINDS = {ArchivedResponse: "response", ArchivedRevisit: "revisit", ArchivedLinks: "link data"}


def _batch(items: Iterator[ArchiveItem]) -> list[ArchiveItem]:
    """Return the next items: at most _BATCH items of together about _BATCH_BYTES. An empty batch marks the end."""
    batch: list[ArchiveItem] = []
    size = 0
    for item in items:
        batch.append(item)
        if isinstance(item, ArchivedResponse) and isinstance(item.answer, Answer):
            size += len(item.answer.body)
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            break
    return batch
