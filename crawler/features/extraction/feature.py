"""The feature of the crawl loop that stores what rules and hooks extracted from pages. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hinterland.crawler.features.extraction.vanished_fields import VanishedFields
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.storage.values.extraction import ExtractedRecord
from hinterland.storage.values.records import Record


class Extraction(Feature):
    """Stores the extracted records of each stored version of a page, and warns of rules that no longer match."""

    def __init__(self) -> None:
        """Start before the first page."""
        self._fields = VanishedFields()

    def visited(self, ended: Ended) -> None:
        """Store what was extracted at the first visit to a page."""
        if not ended.is_revisit:
            self.replaced(ended)

    def replaced(self, ended: Ended) -> None:
        """Store what was extracted from the new version of a page."""
        ended.after += extracted_records(ended.page, ended.digest)

    def written(self, records: Sequence[Record]) -> Iterator[tuple[int, str]]:
        """Yield a warning for each field that is no longer found."""
        return ((vanished.page, vanished.reason) for vanished in self._fields.among(records))


def extracted_records(page: int, digest: PageDigest | None) -> list[ExtractedRecord]:
    """Return a record for each table that rules extracted from a page; none without a digest."""
    if digest is None:
        return []
    return [ExtractedRecord(page, each.table, each.records, each.missing, each.problem) for each in digest.extracted]
