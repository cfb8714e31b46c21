"""The feature of the crawl loop that stores what pages and their header fields say about the use of the page.

What robots.txt says about a page is not stored with the page: `StoredUsage` reads it from the text of the robots.txt in
the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from hinterland.crawler.features.usage.page_statements import READER, elements_of
from hinterland.crawler.features.usage.statement import Statement
from hinterland.crawler.features.usage.statement_table import COLUMNS, TABLE
from hinterland.crawler.features.usage.statements import (
    MOST_CHARACTERS,
    TDM_RESERVATION,
    content_signal,
    content_usage,
    robots_words,
    tdm_reservation,
)
from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.loop.page_records import PageRecords, PageRecordsFactory
from hinterland.crawler.parsing.extraction.tables import table_of_feature
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.settings import Settings
from hinterland.storage.values.extraction import ExtractedRecord, ExtractionTable
from hinterland.storage.values.uses import Use

_READERS: Final[Mapping[str, Callable[[str], Mapping[Use, bool]]]] = {
    "content-usage": content_usage,
    "content-signal": content_signal,
    "x-robots-tag": robots_words,
    "robots": robots_words,
    TDM_RESERVATION: tdm_reservation,
}
_FIELDS: Final = frozenset({b"content-usage", b"content-signal", b"tdm-reservation", b"x-robots-tag"})
_LISTS: Final = frozenset({"content-usage", "content-signal"})
"""Fields whose lines together form one list (RFC 9110, section 5.3)."""


class KeepsUsage(PageRecords):
    """Stores the statements of pages and their header fields. Pages without statements get no record."""

    @property
    def tables(self) -> Sequence[ExtractionTable]:
        """The table of statements, with a column for each use."""
        uses = dict.fromkeys(COLUMNS.values(), "boolean")
        return [table_of_feature(TABLE, {"source": "text", "statement": "text", **uses})]

    def records_of(
        self, page: int, answer: Answer | NoAnswer | None, digest: PageDigest | None, *, is_first: bool
    ) -> Sequence[ExtractedRecord]:
        """Return the statements of a page.

        If a later version of a page has no statement, an empty record replaces the record of the earlier version.
        """
        if not isinstance(answer, Answer) or digest is None or digest.page is None:
            return ()
        own = list(_of_elements(elements_of(digest)))
        is_reserved_there = any(each.text.startswith(TDM_RESERVATION) for each in own)
        of_fields = (
            each for each in _of_fields(answer) if not (is_reserved_there and each.text.startswith(TDM_RESERVATION))
        )
        statements = [*of_fields, *own]
        if is_first and not statements:
            return ()
        return [ExtractedRecord(page, TABLE, [_encoded(each) for each in statements])]


def _of_fields(answer: Answer) -> Iterator[Statement]:
    found: dict[str, list[str]] = {}
    for raw_name, raw_value in answer.raw_fields:
        if (key := raw_name.lower()) in _FIELDS:
            found.setdefault(key.decode(), []).append(raw_value.decode("latin-1")[:MOST_CHARACTERS])
    for name, values in found.items():
        for value in [", ".join(values)] if name in _LISTS else values:
            allowed = _READERS[name](value)
            if allowed or name != "x-robots-tag":
                yield Statement("header", f"{name}: {value}", allowed)


def _of_elements(elements: Sequence[tuple[str, str]]) -> Iterator[Statement]:
    for name, content in elements:
        read = _READERS.get(name)
        yield Statement("page", f"{name}: {content}", {} if read is None else read(content))


def _encoded(statement: Statement) -> str:
    allowed = {COLUMNS[use]: is_allowed for use, is_allowed in statement.allowed.items()}
    return msgspec.json.encode({"source": statement.source, "statement": statement.text, **allowed}).decode()


class KeepsUsageFactory(PageRecordsFactory):
    """Adds the table of usage statements to every crawl and import."""

    reader = READER

    def under(self, settings: Settings) -> KeepsUsage:
        """Return the feature."""
        return KeepsUsage()
