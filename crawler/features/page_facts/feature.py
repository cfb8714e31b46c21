"""The feature of the crawl loop that keeps what an audit needs to know about each page."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from hinterland.crawler.features.page_facts.facts import (
    ALTERNATES,
    ANCHORS,
    CERTIFICATE,
    FACTS,
    FIELDS,
    REFERENCES,
    PageFacts,
)
from hinterland.crawler.features.page_facts.reader import facts_of, reader_order
from hinterland.crawler.features.page_facts.settings import AuditSettings
from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.loop.page_records import PageRecords, PageRecordsFactory
from hinterland.crawler.parsing.extraction.tables import table_of_feature
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.parsing.resources.references import ResourceKind
from hinterland.crawler.settings import Settings
from hinterland.storage.values.extraction import ExtractedRecord, ExtractionTable

_LONGEST_FIELD: Final = 1_000
_KINDS: Final = [kind.name.lower() for kind in ResourceKind]


class KeepsPageFacts(PageRecords):
    """Stores the facts of each HTML page that is stored."""

    @property
    def tables(self) -> Sequence[ExtractionTable]:
        """The tables of facts, of what pages load, of anchors, and of translations."""
        counts = {"images": "integer", "images_without_alt": "integer", "image_without_alt": "text"}
        more = {"canonicals": "integer", "has_viewport": "boolean", "bad_data": "text", "left_out": "integer"}
        more |= dict.fromkeys(CERTIFICATE, "integer")
        return [
            table_of_feature(FACTS, {**counts, **more, **dict.fromkeys(FIELDS.values(), "text")}),
            table_of_feature(REFERENCES, dict.fromkeys(_KINDS, "text")),
            table_of_feature(ANCHORS, {"ids": "text", "fragments": "text"}),
            table_of_feature(ALTERNATES, {"alternates": "text"}),
        ]

    def records_of(
        self, page: int, answer: Answer | NoAnswer | None, digest: PageDigest | None, *, is_first: bool
    ) -> Sequence[ExtractedRecord]:
        """Return the facts of a page that is stored. Empty records delete the facts of an earlier version."""
        if not isinstance(answer, Answer) or digest is None or digest.page is None:
            return ()
        facts = facts_of(digest)
        found = dict(_records(facts, answer)) if facts is not None else {}
        return [
            ExtractedRecord(page, table, [msgspec.json.encode(found[table]).decode()] if table in found else [])
            for table in (FACTS, REFERENCES, ANCHORS, ALTERNATES)
            if table in found or not is_first
        ]


def _records(facts: PageFacts, answer: Answer) -> Iterator[tuple[str, dict[str, Any]]]:
    certificate = answer.connection.certificate
    yield (
        FACTS,
        {
            "images": facts.images,
            "images_without_alt": facts.images_without_alt,
            **({"image_without_alt": facts.image_without_alt} if facts.image_without_alt else {}),
            "canonicals": facts.canonicals,
            "has_viewport": facts.has_viewport,
            **({"bad_data": facts.bad_data} if facts.bad_data else {}),
            **({"left_out": facts.left_out} if facts.left_out else {}),
            **(dict(zip(CERTIFICATE, certificate, strict=True)) if certificate is not None else {}),
            **_fields(answer),
        },
    )
    if facts.references:
        by_kind: dict[str, list[str]] = {}
        for kind, url, _ in facts.references:
            by_kind.setdefault(_KINDS[kind], []).append(url)
        yield REFERENCES, by_kind
    if facts.ids or facts.fragments:
        yield ANCHORS, {"ids": base64.b64encode(facts.ids).decode(), "fragments": facts.fragments}
    if facts.alternates:
        yield ALTERNATES, {"alternates": facts.alternates}


def _fields(answer: Answer) -> dict[str, str]:
    found = {}
    for name, value in answer.raw_fields:
        if (column := FIELDS.get(name.decode("latin-1").lower())) is not None:
            found[column] = value.decode("latin-1")[:_LONGEST_FIELD]
    return found


class KeepsPageFactsFactory(PageRecordsFactory):
    """Adds the tables of page facts to crawls and imports that are to be audited."""

    def under(self, settings: Settings) -> KeepsPageFacts | None:
        """Return the feature, if the settings ask for it."""
        return KeepsPageFacts() if settings.of(AuditSettings).page_facts else None

    def reader_under(self, settings: Settings) -> ReaderOrder:
        """Return the `ReaderOrder` for facts; the settings say how URLs are made canonical."""
        return reader_order(settings.urls)
