"""The base class of features that request the files to which pages lead."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Generic, TypeVar

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.loop.crawl_start import CrawlRequest, FeatureFactory
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, HostTaskRunner
from hinterland.crawler.loop.files.file_queue import FileQueue, WantedFile
from hinterland.crawler.loop.files.file_visits import FileVisits
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.values.records import Record

HOSTS_AT_ONCE: Final = 1_000
"""At most this many hosts have a queued request of one feature at the same time."""
HOST_GIVEN_UP: Final = "host_given_up"
"""The outcome of files whose host did not answer, or has no robots.txt that can be read."""

File = TypeVar("File", bound=WantedFile)


class FeatureWithFiles(Feature, ABC, Generic[File]):
    """Queues files at their hosts, one at a time, ahead of the hosts' pages.

    Files are requested under the same rules as pages: robots.txt, rests, retries, allowed networks. The crawl does not
    end before all files have an outcome. A subclass puts files into the queue, and says how each file is requested and
    what is done with the answer.
    """

    name: ClassVar[str]
    """The name of the feature's requests and of its counters."""

    def __init__(self, queue: FileQueue[File]) -> None:
        """Request the files of a queue, which may hold files left by an earlier run."""
        self.queue = queue
        self._workings: Workings
        self._visits: FileVisits[File]
        self._tasks: Mapping[str, HostTaskRunner] = {}

    def open(self, workings: Workings) -> None:
        """Connect to the crawl."""
        self._workings = workings
        self._visits = FileVisits(self.queue, self, workings)
        self._tasks = {self.name: self._visits}

    @property
    def tasks(self) -> Mapping[str, HostTaskRunner]:
        """The runner of the requests, by the name of the feature."""
        return self._tasks

    # ---------------------------------------------------------------- what a subclass brings

    @abstractmethod
    def page_read(self, ended: Ended, digest: PageDigest) -> Sequence[Record]:
        """Queue the files to which a version of a page leads; return records for the store."""

    def outcome_without_request(self, file: File) -> str:
        """Return the outcome of a file that need not be requested any more; "" if the file must be requested."""
        return ""

    @abstractmethod
    def limits_of(self, file: File) -> BodyLimits:
        """Return which bodies to read when a file is requested, and how much of them."""

    def is_confirmed_at_once(self, file: File, verdict: Verdict) -> bool:
        """Return whether to request a file again, before other files of its host, because the verdict may be wrong."""
        return False

    @abstractmethod
    async def taken_up(
        self, file: File, verdict: Verdict, answer: Answer | NoAnswer | None
    ) -> tuple[str, Sequence[Record]]:
        """Read a file whose verdict is final; return its outcome, and the records for the store.

        `answer` is None if robots.txt forbids the request.
        """

    @abstractmethod
    def not_requested(self, file: File, outcome: str, detail: str, now: float) -> Record:
        """Return the record of a file that was not requested, or whose answer was lost."""

    # ---------------------------------------------------------------- discoveries

    def visited(self, ended: Ended) -> None:
        """Queue the files to which a page leads."""
        if not ended.is_revisit:
            self._read(ended)

    def replaced(self, ended: Ended) -> None:
        """Queue the files to which a new version of a page leads; known files are not queued again."""
        self._read(ended)

    def _read(self, ended: Ended) -> None:
        digest = ended.digest
        if ended.verdict.kind is OutcomeKind.FETCHED and digest is not None and digest.page is not None:
            ended.after += self.page_read(ended, digest)

    # ---------------------------------------------------------------- requests

    def send_due(self, now: float) -> float | None:
        """Queue a request for the next file at every host that has no queued request."""
        for host in self.queue.unasked(HOSTS_AT_ONCE):
            self._send(host, now)
        return None

    def _send(self, host: str, now: float) -> None:
        while (file := self.queue.next_of(host)) is not None:
            if outcome := self.outcome_without_request(file):
                self._visits.end_unrequested(file, outcome, "")
                continue
            number = self._number_of(file.url)
            self.queue.asked(number, file)
            if not self._workings.components.frontier.ask_file(number, file.url, now, self.name):
                self._lost(number)
            return

    def _number_of(self, url: str) -> int:
        """Return the number of a URL's host; a new host is stored."""
        if (known := self._workings.components.known.find_host(host_of(url))) is not None:
            return known
        number, discovery = self._workings.crawl_state.host_named(url)
        if discovery.new_hosts:
            self._workings.io.writer.submit(discovery)
        return number

    def finishing(self, now: float) -> Sequence[int]:
        """Queue the files of the last pages; return the hosts that have a queued file."""
        self.send_due(now)
        return self.queue.hosts_asked

    def host_visited(self, host: int) -> None:
        """Drop the files of a host that was given up."""
        if self.queue.asked_at(host) is not None and self._workings.components.frontier.politeness_of(host).given_up:
            self._lost(host)

    def _lost(self, host: int) -> None:
        for file in self.queue.given_up(host):
            self._visits.end_unrequested(
                file, HOST_GIVEN_UP, "its host did not answer, or has no robots.txt that can be read"
            )

    # ---------------------------------------------------------------- the end

    @property
    def is_busy(self) -> bool:
        """Whether a file waits, was requested or is being read."""
        return self.queue.is_busy

    def may_end(self, reason: EndReason) -> bool:
        """Return whether all files have an outcome."""
        return not self.queue.is_busy

    def statistics(self, now: float, waiting: int) -> dict[str, dict[str, int]]:
        """Return the counts of files by outcome, and how many wait."""
        return {self.name: {**dict(self.queue.tally.most_common()), "waiting": self.queue.waiting}}


class FilesFactory(FeatureFactory, ABC):
    """Makes a feature with files.

    A crawl in shards cannot have such a feature, since each shard would request the same files.
    """

    asked_for: ClassVar[str]
    """What the feature does, in words, such as "fetching the requisites of pages"."""

    label: ClassVar[str]
    """The name of the feature's line in the summary of a crawl."""

    words: ClassVar[Mapping[str, str]]
    """The words for outcomes in that line. The first is shown even if its count is 0; others are shown as they are."""

    @abstractmethod
    def is_wanted(self, settings: Settings) -> bool:
        """Return whether the feature takes part under these settings."""

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return `asked_for` if the feature takes part, otherwise ""."""
        return self.asked_for if self.is_wanted(request.settings) else ""
