"""What rules and hooks took out of pages, as a feature of the crawl loop. Pure."""

from __future__ import annotations

from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.storage.values.extraction import ExtractedRecord


class Extraction(Feature):
    """Keeps the records of each version of a page that is stored."""

    def visited(self, ended: Ended) -> None:
        if not ended.is_revisit:
            self.replaced(ended)

    def replaced(self, ended: Ended) -> None:
        ended.after += extracted_records(ended.page, ended.digest)


def extracted_records(page: int, digest: PageDigest | None) -> list[ExtractedRecord]:
    """What rules took out of a page."""
    if digest is None:
        return []
    return [ExtractedRecord(page, each.table, each.records, each.missing, each.problem) for each in digest.extracted]
