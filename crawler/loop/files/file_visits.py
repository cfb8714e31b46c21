"""Requests the files of a feature, as politely as pages and in turn with the pages of the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_rules import FINAL
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.files.file_queue import FileQueue, WantedFile
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import path_of
from hinterland.storage.values.records import Record

File_contra = TypeVar("File_contra", bound=WantedFile, contravariant=True)


class FileReader(Protocol[File_contra]):
    """What a feature does with the files that it has requested."""

    def limits_of(self, file: File_contra) -> BodyLimits:
        """Return which bodies to read when a file is requested, and how much of them."""
        ...

    def is_confirmed_at_once(self, file: File_contra, verdict: Verdict) -> bool:
        """Return whether to request a file again, before other files of its host, because the verdict may be wrong."""
        ...

    async def taken_up(
        self, file: File_contra, verdict: Verdict, answer: Answer | NoAnswer | None
    ) -> tuple[str, Sequence[Record]]:
        """Read a file whose verdict is final; return its outcome, and the records for the store.

        `answer` is None if robots.txt forbids the request.
        """
        ...

    def not_requested(self, file: File_contra, outcome: str, detail: str, now: float) -> Record:
        """Return the record of a file that was not requested, or whose answer was lost."""
        ...


File = TypeVar("File", bound=WantedFile)


class FileVisits(Generic[File]):
    """Requests files; `carry_out` returns once the outcome is in the store."""

    def __init__(self, queue: FileQueue[File], reader: FileReader[File], workings: Workings) -> None:
        """Request the files of a queue for the feature that reads them."""
        self._queue = queue
        self._reader = reader
        self._components = workings.components
        self._io = workings.io
        self._visits = workings.visits
        self._attribution = workings.attribution
        self._schedule = workings.schedule
        self._canonicaliser = Canonicaliser()

    async def carry_out(self, visit: Visit) -> None:
        """Request the file that was queued at a host, if its robots.txt allows it."""
        queue, now = self._queue, self._io.now
        file = queue.asked_at(visit.host)
        assert file is not None, "a request was queued for a file"
        rules, path = await self._visits.rules_of(visit, visit.host), path_of(file.url)
        if not rules.allows(path):
            self._components.frontier.released(visit, now())
            self._answered(visit)
            await self._end(file, Verdict(OutcomeKind.ROBOTS, rules.doubt(path)), None)
            return
        answer = await self._visits.fetched(visit, file.url, self._reader.limits_of(file))
        if answer is None:  # the kept-alive connection had been closed
            queue.answered(visit.host)
            self._put_back(file)
            return
        verdict = judge(answer, file.url, self._canonicaliser)
        records = self._attribution.probe_answered(visit, verdict, answer, now())
        self._answered(visit)
        self._io.writer.submit(*records)
        if self._reader.is_confirmed_at_once(file, verdict):
            self._put_back(file, is_next=True)
            return
        rule = self._components.retry_rules.of(verdict.kind)
        if rule is not FINAL and file.attempts + 1 < rule.attempts:
            self._put_back(file, is_tried=True)
            return
        await self._end(file, verdict, answer)

    def give_up(self, visit: Visit, now: float) -> None:
        """Give up a visit after an unexpected error."""
        if self._components.frontier.is_under_way(visit):
            self._components.frontier.broken_off(visit, now)
        file = self._queue.asked_at(visit.host)
        if file is not None and visit.host_task is not None and file.url == visit.host_task.url:
            self._queue.answered(visit.host)
            self.end_unrequested(file, OutcomeKind.INTERNAL_ERROR, "see the log")

    def end_unrequested(self, file: File, outcome: str, detail: str) -> None:
        """Record the outcome of a file that will not be requested after all."""
        self._io.writer.submit(self._reader.not_requested(file, outcome, detail, self._io.now()))
        self._queue.ended(outcome)

    def _answered(self, visit: Visit) -> None:
        self._queue.answered(visit.host)
        self._schedule()

    def _put_back(self, file: File, *, is_tried: bool = False, is_next: bool = False) -> None:
        self._queue.put_back(file, is_tried=is_tried, is_next=is_next)
        self._schedule()

    async def _end(self, file: File, verdict: Verdict, answer: Answer | NoAnswer | None) -> None:
        try:
            outcome, records = await self._reader.taken_up(file, verdict, answer)
        except Exception:
            self.end_unrequested(file, OutcomeKind.INTERNAL_ERROR, "see the log")
            raise
        written = self._io.writer.submit(*records)
        self._queue.ended(outcome)
        self._schedule()
        await written
