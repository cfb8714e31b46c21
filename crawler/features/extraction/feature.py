"""What rules and hooks extracted from pages, as a feature of the crawl loop. Pure."""

from __future__ import annotations

from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.storage.values.extraction import ExtractedRecord


class Extraction(Feature):
    """Keeps the records of each version of a page that is stored."""

    def visited(self, ended: Ended) -> None:
        """Record what a first visit extracted."""
        if not ended.is_revisit:
            self.replaced(ended)

    def replaced(self, ended: Ended) -> None:
        """Record what the new version of a page contains."""
        ended.after += extracted_records(ended.page, ended.digest)


def extracted_records(page: int, digest: PageDigest | None) -> list[ExtractedRecord]:
    """Return a record for each table that rules extracted from a page; none without a digest."""
    if digest is None:
        return []
    return [ExtractedRecord(page, each.table, each.records, each.missing, each.problem) for each in digest.extracted]
