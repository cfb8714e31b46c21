"""The feature of the crawl loop that fetches the requisites of pages."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import ClassVar, Final

from hinterland.crawler.features.requisites.known_requisites import KnownRequisites, Requisite
from hinterland.crawler.features.requisites.queries import known_requisites, requisites_before, waiting_requisites
from hinterland.crawler.features.requisites.reading import READER, is_read, references_of
from hinterland.crawler.features.requisites.settings import NONE, RequisiteSettings
from hinterland.crawler.features.requisites.tables import RequisiteEnded
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.loop.crawl_start import CoreState, CrawlRequest, CrawlStart
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.loop.files.feature_with_files import FeatureWithFiles, FilesFactory
from hinterland.crawler.parsing.html.page_bounds import MAX_FIELD_CHARACTERS
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.settings import Settings
from hinterland.storage.values.records import Record
from hinterland.storage.values.times import DAY

_HASHED_HERE: Final = 65_536
"""Larger bodies are hashed in another thread."""
_LEFT_TO_CRAWL: Final = "page"
"""The outcome of frames that are pages of the crawl, which fetches them in its own order."""


class Requisites(FeatureWithFiles[Requisite]):
    """Fetches the requisites of each page, and the files that its style sheets and frames refer to."""

    name = "requisites"

    def __init__(self, known: KnownRequisites, settings: RequisiteSettings, *, may_keep: bool = True) -> None:
        """Continue with what is known from the store. `may_keep` says whether the store may hold bodies."""
        super().__init__(known.queue)
        self._may_keep = may_keep
        self._known = known
        self._limits = BodyLimits(None, settings.max_mb * 1_000_000)

    def fetches(self, url: str) -> bool:
        """Return whether a URL in canonical form is among the requisites of the pages read so far."""
        return self._known.knows(url)

    def page_read(self, ended: Ended, digest: PageDigest) -> Sequence[Record]:
        """Queue the requisites of a page."""
        return [self._known.found(ended.page, ended.url, *references_of(digest))]

    def outcome_without_request(self, file: Requisite) -> str:
        """Return the outcome of a frame that the crawl fetches as a page anyway; "" for other files."""
        return _LEFT_TO_CRAWL if self._known.is_page(file) else ""

    def limits_of(self, file: Requisite) -> BodyLimits:
        """Return the limit of a file's size."""
        return self._limits

    def not_requested(self, file: Requisite, outcome: str, detail: str, now: float) -> Record:
        """Return the record of a requisite that is not fetched."""
        return RequisiteEnded(file.number, outcome, now, detail)

    async def taken_up(
        self, file: Requisite, verdict: Verdict, answer: Answer | NoAnswer | None
    ) -> tuple[str, Sequence[Record]]:
        """Read what a style sheet or frame refers to; return the outcome and the records of the requisite."""
        records: list[Record] = []
        digest: PageDigest | None = None
        outcome, detail = str(verdict.kind), verdict.detail
        content_type = answer.content_type if isinstance(answer, Answer) else None
        if verdict.kind is OutcomeKind.FETCHED and isinstance(answer, Answer):
            digest = await self._digested(file, answer)
            if digest.failure:
                outcome, detail = digest.failure, digest.detail
            else:
                references, left_out = references_of(digest)
                if references or left_out:
                    records.append(self._known.found(file.page, file.url, references, left_out, inside=file))
        elif verdict.kind is OutcomeKind.REDIRECTED and verdict.target is not None:
            target = [(int(file.kind), verdict.target)]
            records.append(self._known.found(file.page, file.url, target, inside=file))
        body = None if digest is None or digest.failure else digest
        records.append(
            RequisiteEnded(
                number=file.number,
                outcome=outcome,
                at=self._workings.io.now(),
                detail=detail[:MAX_FIELD_CHARACTERS],
                status=verdict.status,
                content_type=None if content_type is None else content_type[:MAX_FIELD_CHARACTERS],
                size=None if body is None else body.body_bytes,
                digest=None if body is None else body.body_hash,
                body=None if body is None else body.body,
            )
        )
        return outcome, records

    async def _digested(self, file: Requisite, answer: Answer) -> PageDigest:
        """Return the digest of a body, from a parser process if needed.

        A parser is needed for bodies that the store keeps, that have a content coding, or that may refer to other
        files.
        """
        io = self._workings.io
        keeps = self._may_keep and io.bodies.are_kept()
        if keeps or answer.content_encoding or is_read(file.kind, answer.content_type):
            return await io.parsers.parse(
                RawPage(
                    file.url,
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


class RequisitesFactory(FilesFactory):
    """Adds the fetching of requisites to crawls and recrawls whose settings ask for it."""

    counters = (Requisites.name,)
    asked_for = "fetching the requisites of pages"
    label = "requisites"
    words: ClassVar = {
        "fetched": "fetched",
        "redirected": "redirected",
        "page": "in frames that are pages of the crawl",
        "left_out": "left out (requisites.max_per_page)",
        "waiting": "waiting",
    }

    def is_wanted(self, settings: Settings) -> bool:
        """Return whether any requisites are fetched."""
        return settings.of(RequisiteSettings).fetch != NONE

    def page_reader(self, request: CrawlRequest, core: CoreState) -> ReaderOrder | None:
        """Return the `ReaderOrder` for references if requisites are fetched, else None."""
        return READER if self.is_wanted(request.settings) else None

    async def make(self, start: CrawlStart) -> Requisites | None:
        """Return the feature, with the requisites that are known from earlier runs."""
        if not self.is_wanted(start.settings):
            return None
        pages, settings = start.core.known, start.settings.of(RequisiteSettings)

        def is_page(url: str) -> bool:
            page = pages.find(url)
            return page is not None and pages.is_local(page)

        before = start.now() - settings.max_age_days * DAY
        known, waiting, old = await start.store.ask(
            lambda stored: (
                list(known_requisites(stored)),
                list(waiting_requisites(stored)),
                list(requisites_before(stored, before)),
            )
        )
        has_archive = start.request.warc is not None  # where the bodies are, and nothing else reads them
        requisites = KnownRequisites(settings, is_page, known, waiting, old)
        return Requisites(requisites, settings, may_keep=not has_archive)
