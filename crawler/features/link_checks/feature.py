"""The feature of the crawl loop that checks what pages load and where they link to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from hinterland.crawler.features.link_checks.known_checks import LEFT_OUT, PAGE, Check, KnownChecks
from hinterland.crawler.features.link_checks.queries import checks_since, unchecked
from hinterland.crawler.features.link_checks.settings import LinkCheckSettings
from hinterland.crawler.features.link_checks.tables import LinkChecked
from hinterland.crawler.features.page_facts.reader import facts_of
from hinterland.crawler.features.page_facts.settings import AuditSettings
from hinterland.crawler.features.requisites.feature import Requisites
from hinterland.crawler.features.requisites.reading import READER, references_of
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.crawl_start import CoreState, CrawlRequest, CrawlStart, FeatureUnusable
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.loop.files.feature_with_files import FeatureWithFiles, FilesFactory
from hinterland.crawler.parsing.html.parsed_page import LinkKind
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.parsing.resources.references import ResourceKind
from hinterland.crawler.settings import Settings
from hinterland.storage.values.records import Record
from hinterland.storage.values.times import DAY

_LONGEST: Final = 1_000
_FOLLOWED: Final = frozenset({LinkKind.A, LinkKind.AREA, LinkKind.FRAME, LinkKind.IFRAME, LinkKind.REFRESH})
_KINDS: Final = [kind.name.lower() for kind in ResourceKind]
_HEAD: Final = BodyLimits(frozenset(), 0, without_body=True)
_GET: Final = BodyLimits(frozenset(), 0)
_STYLE: Final = BodyLimits(None, 1_000_000, cut=True)
_THERE: Final = (OutcomeKind.FETCHED, OutcomeKind.OTHER_TYPE)
_FIELDS: Final = ("Cache-Control", "Expires", "ETag", "Last-Modified", "Content-Encoding")
"""The header fields of files that are kept."""
_UNSURE: Final = (
    *(OutcomeKind.CLIENT_ERROR, OutcomeKind.SERVER_ERROR, OutcomeKind.UNEXPECTED_STATUS, OutcomeKind.DISCONNECTED),
    OutcomeKind.BAD_RESPONSE,
)
"""Outcomes of HEAD that may only mean that the server does not support HEAD."""


@dataclass(frozen=True, slots=True)
class ChecksOnly:
    """Asks a crawl to check links and to visit no page."""


class LinkChecks(FeatureWithFiles[Check]):
    """Requests once each address that pages refer to, by HEAD unless its host answers HEAD wrongly."""

    name = "link_checks"

    def __init__(
        self, known: KnownChecks, pages: KnownPages, pending: Sequence[tuple[str, str]], *, only: bool
    ) -> None:
        """Check links in one crawl.

        `pending` are addresses that an earlier run left unchecked, each with its kind. With `only`, the crawl checks
        links and visits no page.
        """
        super().__init__(known.queue)
        self._known = known
        self._pages = pages
        self._pending = pending
        self._only = only

    def admits(self, page: int) -> bool:
        """Return whether a page may be visited."""
        return not self._only

    # ---------------------------------------------------------------- discoveries

    def begin(self, now: float) -> list[Record]:
        """Queue the addresses that earlier runs left unchecked."""
        pending, self._pending = self._pending, ()
        return self._wanted(pending, now)

    def page_read(self, ended: Ended, digest: PageDigest) -> Sequence[Record]:
        """Queue the addresses that a local page refers to."""
        return self._wanted(addresses_of(digest), ended.now) if self._pages.is_local(ended.page) else ()

    def visited(self, ended: Ended) -> None:
        """Queue what a page refers to. If a visit found an image instead of a page, record it as a check."""
        super().visited(ended)
        answer = ended.answer
        if ended.verdict.kind is OutcomeKind.OTHER_TYPE and isinstance(answer, Answer) and _is_image(answer):
            check = Check(ended.url, kind=_KINDS[ResourceKind.IMAGE])
            ended.after.append(_checked(check, ended.verdict, answer, ended.now))

    def _wanted(self, addresses: Iterable[tuple[str, str]], now: float, of: Check | None = None) -> list[Record]:
        """Queue addresses; return the records of addresses left out because of their host's limit.

        `of` is the redirect or style sheet that led to the addresses, None if a page did.
        """
        via, steps = ("", 0) if of is None else (of.url, of.steps + 1)
        return [
            LinkChecked(each.url, each.kind, LEFT_OUT, now, each.via, "link_checks.max_per_host")
            for url, kind in addresses
            for each in self._known.want(url, kind, via, steps)
        ]

    # ---------------------------------------------------------------- requests

    def limits_of(self, file: Check) -> BodyLimits:
        """Return how much of the body to read: the beginning of a style sheet, nothing of other files."""
        if self._known.asks_by_head(file):
            return _HEAD
        return _STYLE if file.kind == "style" else _GET

    def is_confirmed_at_once(self, file: Check, verdict: Verdict) -> bool:
        """Return whether GET must confirm this outcome; False if it is an outcome of GET."""
        if file.by_get:
            self._known.compared(file, is_there=verdict.kind in (*_THERE, OutcomeKind.REDIRECTED))
            return False
        if not self._known.asks_by_head(file) or verdict.kind not in _UNSURE:
            return False
        file.by_get = self._known.must_confirm(file, verdict.status)
        return file.by_get

    async def taken_up(
        self, file: Check, verdict: Verdict, answer: Answer | NoAnswer | None
    ) -> tuple[str, Sequence[Record]]:
        """Queue the addresses that a redirect or style sheet leads to; return the outcome and records of its check."""
        now = self._workings.io.now()
        leads_to: list[tuple[str, str]] = []
        if verdict.kind is OutcomeKind.REDIRECTED and verdict.target is not None:
            leads_to = [(verdict.target, file.kind)]
        elif isinstance(answer, Answer) and file.kind == "style" and verdict.kind in _THERE:
            leads_to = await self._loaded(file, answer)
        checked = _checked(file, verdict, answer, now)
        return checked.outcome, [*self._wanted(leads_to, now, file), checked]

    async def _loaded(self, file: Check, answer: Answer) -> list[tuple[str, str]]:
        """Return the address and the kind of each file that a style sheet loads, read in a parser process."""
        raw = RawPage(file.url, answer.body, answer.content_encoding, answer.content_type, only_reader=READER.name)
        digest = await self._workings.io.parsers.parse(raw)
        return [(url, _KINDS[kind]) for kind, url in references_of(digest)[0]]

    def not_requested(self, file: Check, outcome: str, detail: str, now: float) -> Record:
        """Return the record of an address that is not requested."""
        return LinkChecked(file.url, file.kind, outcome, now, file.via, detail)


def addresses_of(digest: PageDigest) -> Iterator[tuple[str, str]]:
    """Yield the address and kind of everything that a page loads or links to."""
    facts = facts_of(digest)
    for kind, url, _ in facts.references if facts is not None else ():
        if kind not in (ResourceKind.FRAME, ResourceKind.OBJECT):  # links that lead to pages
            yield url, _KINDS[kind]
    if digest.page is not None:
        for url, link_kind in zip(digest.page.link_urls, digest.page.link_kinds, strict=True):
            if link_kind in _FOLLOWED:
                yield url, PAGE


def _checked(file: Check, verdict: Verdict, answer: Answer | NoAnswer | None, now: float) -> LinkChecked:
    return LinkChecked(
        file.url,
        file.kind,
        str(OutcomeKind.FETCHED if verdict.kind in _THERE else verdict.kind),
        now,
        via=file.via,
        detail=verdict.detail[:_LONGEST],
        status=verdict.status,
        target=verdict.target,
        content_type=_field(answer, "Content-Type"),
        size=_size(answer),
        fields=_fields(answer) if file.kind != PAGE else None,
    )


def _is_image(answer: Answer) -> bool:
    return (answer.content_type or "").lower().startswith("image/")


def _field(answer: Answer | NoAnswer | None, name: str) -> str | None:
    value = answer.header(name) if isinstance(answer, Answer) else None
    return None if value is None else value[:_LONGEST]


def _fields(answer: Answer | NoAnswer | None) -> str | None:
    if not isinstance(answer, Answer):
        return None
    found = {name.lower().replace("-", "_"): value for name in _FIELDS if (value := _field(answer, name)) is not None}
    return msgspec.json.encode(found).decode()


def _size(answer: Answer | NoAnswer | None) -> int | None:
    length = _field(answer, "Content-Length")
    return int(length) if length is not None and length.isdecimal() and len(length) < 16 else None


class LinkChecksFactory(FilesFactory):
    """Adds link checks to crawls whose settings ask for them."""

    counters = (LinkChecks.name,)
    asked_for = "checking links"
    label = "checks"
    words: ClassVar = {"fetched": "there", "left_out": "left out (link_checks.max_per_host)"}

    def is_wanted(self, settings: Settings) -> bool:
        """Return whether links are checked."""
        return settings.of(LinkCheckSettings).use

    def page_reader(self, request: CrawlRequest, core: CoreState) -> ReaderOrder | None:
        """Return the `ReaderOrder` for style sheets if links are checked, else None."""
        return READER if self.is_wanted(request.settings) else None

    async def make(self, start: CrawlStart) -> LinkChecks | None:
        """Return the feature, with addresses that earlier runs checked or left unchecked. Raises FeatureUnusable."""
        if not self.is_wanted(start.settings):
            return None
        if not start.settings.of(AuditSettings).page_facts:
            raise FeatureUnusable("link_checks.use needs audit.page_facts = true; `crawl --check-links` sets both")
        settings, pages = start.settings.of(LinkCheckSettings), start.core.known
        since = start.now() - settings.max_age_days * DAY
        requisites = start.feature(Requisites)  # which learns of a page before the checks do

        def is_ours(url: str, kind: str) -> bool:
            page = pages.find(url)
            if page is not None and pages.is_local(page):
                return True
            return kind != PAGE and requisites is not None and requisites.fetches(url)

        checked, pending = await start.store.ask(
            lambda stored: (list(checks_since(stored, since)), list(unchecked(stored, since)))
        )
        only = start.request.of(ChecksOnly) is not None
        return LinkChecks(KnownChecks(settings.max_per_host, is_ours, checked), pages, pending, only=only)
