"""One parser process, and the pages it was given."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections import deque
from contextlib import suppress
from typing import Final, Protocol, cast

import msgspec

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.parsing.compiled.freed_memory import LARGE_BYTES
from hinterland.crawler.parsing.messages import OUT_OF_MEMORY, FrameReader, Greeting, PageDigest, frame
from hinterland.crawler.parsing.pool.forked_parsers import ForkedParser
from hinterland.crawler.parsing.pool.jobs import ParseJob
from hinterland.crawler.parsing.pool.page_watch import PageWatch
from hinterland.crawler.parsing.pool.progress import ParserProgress, new_file

AHEAD: Final = 8
"""How many pages are sent to a process before it has answered. It answers all pages that it finds waiting together,
which saves most of the context switches between two processes on one core.
"""
_START_SECONDS = 60.0
_START_ATTEMPTS: Final = 3
_NICENESS: Final = 5
"""Added to the niceness of a process with a slow page, which then gets a third of the CPU share of others. With a
higher value, pages that take seconds would never finish on a busy machine.
"""


class ParsersUnusable(Exception):
    """Raised if parser processes die before they receive a page: no page is the cause, and no page can be parsed."""


class Owner(Protocol):
    """The pool of parser processes, as seen by each process."""

    restarts: int

    @property
    def timeout_seconds(self) -> float:
        """How much CPU time a page may take."""
        ...

    @property
    def is_closed(self) -> bool:
        """Whether the pool is shutting down."""
        ...

    @property
    def has_idle_spare(self) -> bool:
        """Whether a spare process is no longer needed."""
        ...

    async def fork(self, channel: socket.socket, progress: int) -> ForkedParser:
        """Request a new parser process."""
        ...

    def allows_slow(self, process: ParserProcess, job: ParseJob) -> bool:
        """Return whether the process may continue with a page that turned out to be slow."""
        ...

    def drop_if_spare(self, process: ParserProcess) -> bool:
        """Drop a process that has ended, if it is not needed; return whether it was dropped."""
        ...

    def hand_out_more(self) -> None:
        """Give waiting pages to free processes."""
        ...

    def take_back(self, jobs: list[ParseJob]) -> None:
        """Queue pages that a process will not answer."""
        ...

    def put_aside(self, job: ParseJob) -> None:
        """Queue a slow page behind the other slow pages of its host."""
        ...

    def trim_soon(self) -> None:
        """Return freed memory to the system soon."""
        ...

    def give_up(self, process: ParserProcess, failure: ParsersUnusable) -> None:
        """Drop a process that cannot be started."""
        ...


class ParserProcess(asyncio.Protocol):
    """One process, with the pages that were sent to it, which it answers in order.

    If the process dies, another takes its place.
    """

    def __init__(self, pool: Owner) -> None:
        """Prepare without starting the process."""
        self._pool = pool
        self.jobs: deque[ParseJob | None] = deque()
        """The pages sent to the process. None stands for a page that was given to another process; its answer is
        ignored.
        """
        self.is_slow = False
        self.has_greeted = False
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(PageDigest)
        self._reader = FrameReader()
        self._transport: asyncio.Transport | None = None
        self._forked: ForkedParser | None = None
        self._progress: ParserProgress | None = None
        self._answered = 0
        self._watch = PageWatch(self._seconds_on_page, self._continue_slowly, self._give_up)
        self._was_put_aside = False
        self._is_nice = False
        self._has_retired = False
        self._overdue: ParseJob | None = None
        self._failed_starts = 0
        self._replacing: asyncio.Task[None] | None = None

    def can_take(self, job: ParseJob) -> bool:
        """Return whether the process may be given this job now."""
        if not self.is_ready:
            return False
        if not self.jobs:
            return True
        first = self.jobs[0]
        return len(self.jobs) < AHEAD and not job.is_suspect and first is not None and not first.is_suspect

    @property
    def is_ready(self) -> bool:
        """Whether the process has started and is not busy with a slow page."""
        return self._transport is not None and self.has_greeted and not self.is_slow

    def is_slow_with(self, *, large: bool) -> bool:
        """Return whether the process is busy with a slow page whose `is_large` equals `large`."""
        return self.is_slow and any(job is not None and job.is_large == large for job in self.jobs)

    @property
    def is_idle(self) -> bool:
        """Whether the process is ready and has no page."""
        return self.is_ready and not self.jobs

    async def start(self) -> None:
        """Request the process from the fork server; return before it has started. Raises OSError."""
        ours, theirs = socket.socketpair()
        with theirs:
            file = new_file()
            try:
                self._progress, self._answered = ParserProgress(file), 0
                self._forked = await self._pool.fork(theirs, file)
            except BaseException:
                ours.close()
                raise
            finally:
                os.close(file)
        self._reader = FrameReader()
        self._overdue = None
        self.has_greeted, self.is_slow, self._is_nice, self._has_retired = False, False, False, False
        self._watch.give(_START_SECONDS)
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=ours)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the connection; the first answer may come before `start` continues."""
        self._transport = cast(asyncio.Transport, transport)

    async def stop(self) -> None:
        """End the process and wait for it."""
        if self._replacing is not None:
            await self._replacing
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        self._watch.stop()
        if self._forked is not None:
            if self.jobs or not self.has_greeted:
                self._forked.kill()  # it may be busy for minutes with a page that nobody waits for
            if self.has_greeted:
                await self._forked.ended()

    def give(self, job: ParseJob) -> None:
        """Send a page. If it cannot be encoded, its future gets the error immediately."""
        assert self._transport is not None
        try:
            handed_over = frame(job.raw, self._encoder)  # encoded only now, so that no waiting body is in memory twice
        except (ValueError, OverflowError, TypeError) as error:
            if not job.answer.done():
                job.answer.set_exception(error)
            return
        self.jobs.append(job)
        self._transport.write(handed_over)
        if len(self.jobs) == 1:
            self.is_slow = job.is_slow
            self._watch_page()

    def data_received(self, data: bytes) -> None:
        """Pass on the answers that are complete with these bytes."""
        has_answered = False
        for payload in self._reader.feed(data):
            if not self.has_greeted:
                self._take_greeting(payload)
                has_answered = True
                continue
            job = self.jobs.popleft()
            self._answered += 1
            has_answered = True
            if job is None:
                continue
            was_slow, self.is_slow = self.is_slow, False
            if max(len(payload), job.bytes_held) > LARGE_BYTES:
                self._pool.trim_soon()
            if not job.answer.done():
                job.answer.set_result(self._digest_in(payload))
            if self._is_nice or (was_slow and self._pool.has_idle_spare):
                self._retire()
                break
        if has_answered:
            self._watch_page()
            self._pool.hand_out_more()

    def _digest_in(self, payload: bytes) -> PageDigest:
        """Return the decoded answer.

        An invalid answer is a failure of its page only; the next answer is read as usual.
        """
        try:
            return self._decoder.decode(payload)
        except (msgspec.MsgspecError, ValueError) as error:
            return PageDigest(failure=OutcomeKind.PARSER_CRASH, detail=f"the parser's answer cannot be read: {error}")

    def _take_greeting(self, payload: bytes) -> None:
        assert self._forked is not None
        self._forked.process = msgspec.msgpack.decode(payload, type=Greeting).process
        self.has_greeted = True
        self._failed_starts = 0

    def connection_lost(self, exc: Exception | None) -> None:
        """Replace the process, unless the pool is closed."""
        self._transport = None
        self._watch.stop()
        if not self._pool.is_closed:
            self._replacing = asyncio.get_running_loop().create_task(self._replace())

    async def _replace(self) -> None:
        """Start another process. If it is certain which page brought this one down, that page fails."""
        assert self._forked is not None
        try:
            code = await self._forked.ended()
            end = _how_it_died(code)
        except OSError as error:
            end = str(error)
        if self._has_retired:
            if self._pool.drop_if_spare(self):
                return
        else:
            self._pool.restarts += 1
        failure = self._failure_of_the_only_page(end)
        jobs = [job for job in self.jobs if job is not None and not job.answer.done()]
        self.jobs.clear()
        if self._was_put_aside and jobs:
            self._pool.put_aside(jobs.pop(0))
        self._was_put_aside = False
        if failure is not None and jobs:
            table = 0 if self._progress is None else self._progress.table
            if table and table not in jobs[0].raw.without:
                jobs[0].skip_table(table, failure)
            else:
                jobs.pop().answer.set_result(failure)
        for job in jobs:
            job.is_suspect = True
        self._pool.take_back(jobs)
        if not self.has_greeted:
            self._failed_starts += 1
            if self._failed_starts >= _START_ATTEMPTS:
                self._pool.give_up(self, ParsersUnusable(f"cannot start a parser process: {end}"))
                return
        if not self._pool.is_closed:
            try:
                await self.start()
            except OSError as error:
                self._pool.give_up(self, ParsersUnusable(f"cannot start a parser process: {error}"))

    def _failure_of_the_only_page(self, end: str) -> PageDigest | None:
        """Return the failure of the only page; None if another page, or a kill from outside, may be the cause."""
        jobs = [job for job in self.jobs if job is not None]
        if len(jobs) != 1 or self._was_put_aside:
            return None
        [job] = jobs
        # An answer may still have arrived after the time was up; then it is unclear which page was at fault.
        if self._overdue is job:
            seconds = self._pool.timeout_seconds
            return PageDigest(failure=OutcomeKind.PARSE_TIMEOUT, detail=f"not parsed in {seconds:g} s")
        if self._overdue is None and job.is_suspect:
            return PageDigest(failure=OutcomeKind.PARSER_CRASH, detail=end)
        return None

    def _watch_page(self) -> None:
        if self.jobs:
            self._watch.page_begins(self._pool.timeout_seconds)
        else:
            self._watch.page_ends()

    @property
    def _place(self) -> int:
        """The index of the current page among the unanswered pages.

        The process may report that it has finished earlier pages; its report is not trusted for anything else.
        """
        assert self._progress is not None
        return min(max(self._progress.begun - self._answered - 1, 0), len(self.jobs) - 1)

    def _seconds_on_page(self) -> float:
        if self._progress is None or self._forked is None or self._forked.process is None:
            return 0.0  # it has ended
        if self._progress.begun <= self._answered:
            return 0.0  # it has not reached the pages it was given
        return self._progress.seconds_on_page(self._forked.process)

    def _continue_slowly(self) -> None:
        """Give the other pages to other processes; postpone the current page if the pool does not let it continue."""
        jobs, place = list(self.jobs), self._place
        job = jobs[place]
        if job is None:  # another process has this page, too
            self._kill()
            return
        self.jobs = deque(each if each is job else None for each in jobs)
        is_let = self.is_slow or self._pool.allows_slow(self, job)
        self.is_slow = True
        if is_let:
            self._lower_priority()
            self._watch.allow_slow()
        else:
            self._was_put_aside = True
            self._kill()
        self._pool.take_back([each for each in jobs if each is not None and each is not job])

    def _lower_priority(self) -> None:
        """Lower the process's priority, which cannot be raised again."""
        self._is_nice = True
        with suppress(OSError):  # it has ended
            if self._forked is not None and self._forked.process is not None:
                niceness = os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS
                os.setpriority(os.PRIO_PROCESS, self._forked.process, niceness)

    def _retire(self) -> None:
        """End the process; if needed, another replaces it.

        The new process has full priority, and none of the memory that the page took.
        """
        self._has_retired = True
        self.jobs.clear()
        self._kill()
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    def _give_up(self) -> None:
        self._overdue = self.jobs[self._place] if self.jobs else None
        self._kill()

    def _kill(self) -> None:
        self._watch.stop()
        if self._forked is not None:
            self._forked.kill()
        if not self.has_greeted and self._transport is not None:
            self._transport.abort()  # a process that has not greeted may be running; it ends when the socket closes


def _how_it_died(code: int | None) -> str:
    if code is None:
        return "the parser died"
    if code == OUT_OF_MEMORY:
        return "the parser ran out of memory"
    if code < 0 and -code in signal.valid_signals():
        return f"the parser was ended by {signal.Signals(-code).name}"
    return f"the parser died with code {code}"
