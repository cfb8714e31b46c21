"""The feature of the crawl loop that stores what rules and hooks extracted from pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hinterland.crawler.features.extraction.vanished_fields import VanishedFields
from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.loop.page_records import PageRecords, PageRecordsFactory
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.settings import Settings
from hinterland.storage.values.extraction import ExtractedRecord
from hinterland.storage.values.records import Record


class Extraction(PageRecords):
    """Stores the extracted records of each stored version of a page, and warns of rules that no longer match."""

    def __init__(self) -> None:
        """Start before the first page."""
        self._fields = VanishedFields()

    def records_of(
        self, page: int, answer: Answer | NoAnswer | None, digest: PageDigest | None, *, is_first: bool
    ) -> list[ExtractedRecord]:
        """Return what rules extracted from a page, a record for each table."""
        return extracted_records(page, digest)

    def written(self, records: Sequence[Record]) -> Iterator[tuple[int, str]]:
        """Yield a warning for each field that is no longer found."""
        return ((vanished.page, vanished.reason) for vanished in self._fields.among(records))


def extracted_records(page: int, digest: PageDigest | None) -> list[ExtractedRecord]:
    """Return what rules extracted from a page, a record for each table; no record if `digest` is None."""
    if digest is None:
        return []
    return [ExtractedRecord(page, each.table, each.records, each.missing, each.problem) for each in digest.extracted]


class ExtractionFactory(PageRecordsFactory):
    """Adds extraction to every crawl and import, because the store may hold rules for it."""

    def under(self, settings: Settings) -> Extraction:
        """Return the feature."""
        return Extraction()
