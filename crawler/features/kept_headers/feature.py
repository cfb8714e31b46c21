"""The feature of the crawl loop that stores chosen header fields of each page's response, in their own table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.loop.crawl_start import CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.parsing.extraction.tables import table_of_feature
from hinterland.storage.values.extraction import ExtractedRecord, ExtractionTable

TABLE: Final = "headers"
MOST_CHARACTERS: Final = 4_000
"""Longer values are cut to this length, and the record says so."""


class KeptHeaders(Feature):
    """Stores chosen header fields of each page's response."""

    def __init__(self, names: Sequence[str]) -> None:
        """Keep the header fields of these names, such as "Cache-Control"."""
        self._columns = {column_of(name): name for name in names}

    @property
    def tables(self) -> Sequence[ExtractionTable]:
        """The table of headers, with a text column for each field."""
        return [table_of_feature(TABLE, dict.fromkeys(self._columns, "text"))]

    def visited(self, ended: Ended) -> None:
        """Record the header fields of a page's first visit."""
        if not ended.is_revisit:
            self.replaced(ended)

    def replaced(self, ended: Ended) -> None:
        """Record the header fields of a new version of a page that this visit stores."""
        if isinstance(ended.answer, Answer) and ended.digest is not None and ended.digest.page is not None:
            ended.after.append(self._record(ended.page, ended.answer))

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


class KeptHeadersFactory(FeatureFactory):
    """Adds the feature to crawls that keep header fields."""

    async def make(self, start: CrawlStart) -> KeptHeaders | None:
        """Return the feature for the header fields in the settings."""
        names = start.settings.storage.keep_headers
        return KeptHeaders(names) if names else None
