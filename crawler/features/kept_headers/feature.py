"""The feature of the crawl loop that stores chosen header fields of each page's response, in their own table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.loop.page_records import PageRecords, PageRecordsFactory
from hinterland.crawler.parsing.extraction.tables import table_of_feature
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.settings import Settings
from hinterland.storage.values.extraction import ExtractedRecord, ExtractionTable

TABLE: Final = "headers"
MOST_CHARACTERS: Final = 4_000
"""Longer values are cut to this length, and the record says so."""


class KeptHeaders(PageRecords):
    """Stores chosen header fields of each page's response."""

    def __init__(self, names: Sequence[str]) -> None:
        """Keep the header fields of these names, such as "Cache-Control"."""
        self._columns = {column_of(name): name for name in names}

    @property
    def tables(self) -> Sequence[ExtractionTable]:
        """The table of headers, with a text column for each field."""
        return [table_of_feature(TABLE, dict.fromkeys(self._columns, "text"))]

    def records_of(
        self, page: int, answer: Answer | NoAnswer | None, digest: PageDigest | None, *, is_first: bool
    ) -> Sequence[ExtractedRecord]:
        """Return a record of the header fields if the page is stored, otherwise no record."""
        if not isinstance(answer, Answer) or digest is None or digest.page is None:
            return ()
        return [self._record(page, answer)]

    def _record(self, page: int, answer: Answer) -> ExtractedRecord:
        values = {column: answer.header(name) for column, name in self._columns.items()}
        found = {column: value for column, value in values.items() if value is not None}
        cut = sorted(column for column, value in found.items() if len(value) > MOST_CHARACTERS)
        record = msgspec.json.encode({column: value[:MOST_CHARACTERS] for column, value in found.items()}).decode()
        return ExtractedRecord(
            page,
            TABLE,
            [record] if found else [],
            missing=[column for column in self._columns if column not in found],
            problem=f"too long: {', '.join(cut)}" if cut else "",
        )


def column_of(name: str) -> str:
    """Return the column of a header field: "cache_control" for "Cache-Control"."""
    return name.lower().replace("-", "_")


class KeptHeadersFactory(PageRecordsFactory):
    """Adds the table of headers to crawls and imports that keep header fields."""

    def under(self, settings: Settings) -> KeptHeaders | None:
        """Return the feature for the header fields in the settings."""
        names = settings.storage.keep_headers
        return KeptHeaders(names) if names else None
