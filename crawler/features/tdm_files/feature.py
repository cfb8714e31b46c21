"""The feature of the crawl loop that requests tdmrep.json of hosts, once each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hinterland.crawler.features.tdm_files.reservations import MOST_BYTES, PATH
from hinterland.crawler.features.tdm_files.settings import TdmFileSettings
from hinterland.crawler.features.tdm_files.tables import TdmFileRead
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.decoding import ContentDecodingError, decode_content
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.loop.crawl_start import CrawlStart
from hinterland.crawler.loop.decisions.moments import Ended
from hinterland.crawler.loop.files.feature_with_files import FeatureWithFiles, FilesFactory
from hinterland.crawler.loop.files.file_queue import FileQueue, WantedFile
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.records import Record
from hinterland.storage.values.times import DAY

_LIMITS = BodyLimits(None, MOST_BYTES)


class TdmFiles(FeatureWithFiles[WantedFile]):
    """Requests the tdmrep.json of each host of which a local page was read."""

    name = "tdm_files"

    def __init__(self, pages: KnownPages, read: Iterable[str]) -> None:
        """Start with `read`, the hosts whose files earlier runs have read recently."""
        super().__init__(FileQueue())
        self._pages = pages
        self._hosts = set(read)

    def page_read(self, ended: Ended, digest: PageDigest) -> Sequence[Record]:
        """Queue the file of the page's host."""
        host = host_of(ended.url)
        if self._pages.is_local(ended.page) and host not in self._hosts:
            self._hosts.add(host)
            self.queue.wait(WantedFile(f"{host}{PATH}"))
        return ()

    def limits_of(self, file: WantedFile) -> BodyLimits:
        """Return the limit of a file's size."""
        return _LIMITS

    async def taken_up(
        self, file: WantedFile, verdict: Verdict, answer: Answer | NoAnswer | None
    ) -> tuple[str, Sequence[Record]]:
        """Return the outcome of requesting a file, and the record with its text."""
        outcome, text = verdict.kind, None
        if isinstance(answer, Answer) and 200 <= answer.status < 300:
            try:
                outcome, text = OutcomeKind.FETCHED, decode_content(answer.body, answer.content_encoding, MOST_BYTES)
            except ContentDecodingError:
                outcome = OutcomeKind.CORRUPT
        return str(outcome), [TdmFileRead(host_of(file.url), str(outcome), self._workings.io.now(), text)]

    def not_requested(self, file: WantedFile, outcome: str, detail: str, now: float) -> Record:
        """Return the record of a file that is not requested."""
        return TdmFileRead(host_of(file.url), outcome, now)


class TdmFilesFactory(FilesFactory):
    """Adds the reading of tdmrep.json to crawls whose settings ask for it."""

    counters = (TdmFiles.name,)
    asked_for = "reading tdmrep.json"

    def is_wanted(self, settings: Settings) -> bool:
        """Return whether the files are read."""
        return settings.of(TdmFileSettings).read

    async def make(self, start: CrawlStart) -> TdmFiles | None:
        """Return the feature, with the hosts whose files were read recently."""
        if not self.is_wanted(start.settings):
            return None
        since = start.now() - start.settings.of(TdmFileSettings).max_age_days * DAY

        def read(stored: StoreReader) -> list[str]:
            rows = stored.connection.execute("SELECT host FROM tdm_file WHERE fetched_at >= ?", (since,))
            return [host for (host,) in rows]

        return TdmFiles(start.core.known, await start.store.ask(read))
