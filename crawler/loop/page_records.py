"""Base classes of features that store records made from each page's answer and contents; imports use them, too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.loop.crawl_start import CoreState, CrawlRequest, CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.parsing.page_readers import ReaderOrder
from hinterland.crawler.settings import Settings
from hinterland.storage.values.extraction import ExtractedRecord


class PageRecords(Feature, ABC):
    """Stores records of each stored version of a page."""

    @abstractmethod
    def records_of(
        self, page: int, answer: Answer | NoAnswer | None, digest: PageDigest | None, *, is_first: bool
    ) -> Sequence[ExtractedRecord]:
        """Return the records of a page. `is_first` says that the store has no earlier records of the page."""

    def visited(self, ended: Ended) -> None:
        """Store the records of a page's first visit."""
        if not ended.is_revisit:
            ended.after += self.records_of(ended.page, ended.answer, ended.digest, is_first=True)

    def replaced(self, ended: Ended) -> None:
        """Store the records of a new version of a page."""
        ended.after += self.records_of(ended.page, ended.answer, ended.digest, is_first=False)


class PageRecordsFactory(FeatureFactory, ABC):
    """Makes a feature with page records, for a crawl or an import. A subclass overrides `under`."""

    reader: ReaderOrder | None = None
    """The order that tells parser processes what to read for the feature; None for nothing."""

    @abstractmethod
    def under(self, settings: Settings) -> PageRecords | None:
        """Return the feature under these settings; None if it takes no part."""

    def page_reader(self, request: CrawlRequest, core: CoreState) -> ReaderOrder | None:
        """Return the order for the parser processes if the feature takes part, otherwise None."""
        return None if self.under(request.settings) is None else self.reader_under(request.settings)

    def reader_under(self, settings: Settings) -> ReaderOrder | None:
        """Return the order that tells parser processes what to read under these settings; None for nothing."""
        return self.reader

    async def make(self, start: CrawlStart) -> PageRecords | None:
        """Return the feature."""
        return self.under(start.settings)
