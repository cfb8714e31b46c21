"""The pool of parser processes: killable, replaced when they die, never the end of a crawl."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections import deque
from dataclasses import dataclass
from types import TracebackType

import msgspec

from crawler.environment import ROOT
from crawler.outcomes import OutcomeKind
from crawler.parsing.messages import OUT_OF_MEMORY, FrameReader, PageDigest, ParserConfig, RawPage, frame

_AHEAD = 8
"""Pages handed to a process before it has answered. It answers those it finds waiting together, which spares
most of the switches between two processes on one core."""
_START_SECONDS = 60.0
_START_ATTEMPTS = 3
_KEEP_FREED_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(64 << 20), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
"""glibc is told to give less back between two pages, which need the same again: a crawl of 4,000 pages had 64,000 to
68,000 page faults instead of 95,000 to 112,000. Other C libraries take no notice."""


class ParsersUnusable(Exception):
    """Parser processes die before they have seen a page: no page is to blame, and no other will fare better."""


@dataclass(slots=True, eq=False)
class _Job:
    """is_suspect: a process died while it was under way, so it is tried again by itself."""

    payload: bytes
    answer: asyncio.Future[PageDigest]
    is_suspect: bool = False


class ParserPool:
    """`await pool.parse(raw)` from any number of tasks; use as an async context manager.

    A page that keeps a process busy for timeout_seconds is answered with PARSE_TIMEOUT, one that takes the
    process down with PARSER_CRASH. Whatever was under way in a process that died is tried again, each page by
    itself: then the one to blame shows, and those lose nothing that were beside it, or came as it was being killed.
    """

    def __init__(self, config: ParserConfig, *, processes: int, timeout_seconds: float) -> None:
        self._config = config
        self._timeout_seconds = timeout_seconds
        self._encoder = msgspec.msgpack.Encoder()
        self._waiting: deque[_Job] = deque()
        self._processes = [_ParserProcess(self) for _ in range(processes)]
        self._closed = False
        self._failure: ParsersUnusable | None = None
        self.restarts = 0

    async def __aenter__(self) -> ParserPool:
        await asyncio.gather(*(process.start() for process in self._processes))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closed = True
        await asyncio.gather(*(process.stop() for process in self._processes))

    @property
    def backlog(self) -> int:
        """Pages handed in and not yet answered."""
        return len(self._waiting) + sum(len(process.jobs) for process in self._processes)

    @property
    def is_saturated(self) -> bool:
        """Whether more pages would only wait: every process has its hands full and as much again is queued."""
        return len(self._waiting) >= _AHEAD * len(self._processes)

    async def parse(self, raw: RawPage) -> PageDigest:
        if self._failure is not None:
            raise self._failure
        job = _Job(frame(raw, self._encoder), asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._hand_out()
        return await job.answer

    # ---------------------------------------------------------------- for the processes

    @property
    def greeting(self) -> bytes:
        return frame(self._config, self._encoder)

    @property
    def timeout_seconds(self) -> float:
        return self._timeout_seconds

    @property
    def is_closed(self) -> bool:
        return self._closed

    def take_back(self, jobs: list[_Job]) -> None:
        self._waiting.extendleft(reversed(jobs))
        self._hand_out()

    def give_up(self, failure: ParsersUnusable) -> None:
        """Fail whatever waits, and will come: a crawl without parsers has to end."""
        self._failure = failure
        for job in self._waiting:
            if not job.answer.done():
                job.answer.set_exception(failure)
        self._waiting.clear()

    def hand_out_more(self) -> None:
        if self._waiting:
            self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting:
            job = self._waiting[0]
            ready = [process for process in self._processes if process.can_take(job)]
            if not ready:
                return
            min(ready, key=lambda process: len(process.jobs)).give(self._waiting.popleft())


class _ParserProcess(asyncio.Protocol):
    """One process, and the pages it has been given, which it answers in order."""

    def __init__(self, pool: ParserPool) -> None:
        self._pool = pool
        self.jobs: deque[_Job] = deque()
        self._decoder = msgspec.msgpack.Decoder(PageDigest)
        self._reader = FrameReader()
        self._transport: asyncio.Transport | None = None
        self._process: asyncio.subprocess.Process
        self._timer: asyncio.TimerHandle | None = None
        self._overdue: _Job | None = None
        self._has_greeted = False
        self._failed_starts = 0
        self._replacing: asyncio.Task[None] | None = None

    def can_take(self, job: _Job) -> bool:
        if self._transport is None or not self._has_greeted:
            return False
        if not self.jobs:
            return True
        return len(self.jobs) < _AHEAD and not job.is_suspect and not self.jobs[0].is_suspect

    async def start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "crawler.parsing.worker",
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT), **_KEEP_FREED_MEMORY},
            )
        self._reader = FrameReader()
        self._overdue, self._has_greeted = None, False
        self._timer = asyncio.get_running_loop().call_later(_START_SECONDS, self._give_up)
        transport, _ = await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=ours)
        self._transport = transport
        transport.write(self._pool.greeting)

    async def stop(self) -> None:
        if self._replacing is not None:
            await self._replacing
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        if self._process.returncode is None:
            if self.jobs or not self._has_greeted:
                self._process.kill()  # it may be busy with a page for minutes, and nobody waits for it
            await self._process.wait()

    def give(self, job: _Job) -> None:
        assert self._transport is not None
        self.jobs.append(job)
        self._transport.write(job.payload)
        if len(self.jobs) == 1:
            self._watch()

    def data_received(self, data: bytes) -> None:
        for payload in self._reader.feed(data):
            if not self._has_greeted:
                self._has_greeted = True
                self._failed_starts = 0
                continue
            job = self.jobs.popleft()
            if not job.answer.done():
                job.answer.set_result(self._decoder.decode(payload))
        self._watch()
        self._pool.hand_out_more()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._unwatch()
        if not self._pool.is_closed:
            self._replacing = asyncio.get_running_loop().create_task(self._replace())

    async def _replace(self) -> None:
        """Answer for the page that brought the process down, if that is certain, and start another."""
        code = await self._process.wait()
        self._pool.restarts += 1
        failure = self._failure_of_the_only_page(code)
        jobs = [job for job in self.jobs if not job.answer.done()]
        self.jobs.clear()
        if failure is not None and jobs:
            jobs.pop().answer.set_result(failure)
        for job in jobs:
            job.is_suspect = True
        self._pool.take_back(jobs)
        if not self._has_greeted:
            self._failed_starts += 1
            if self._failed_starts >= _START_ATTEMPTS:
                self._pool.give_up(ParsersUnusable(f"a parser process died as it started, with code {code}"))
                return
        if not self._pool.is_closed:
            try:
                await self.start()
            except OSError as error:
                self._pool.give_up(ParsersUnusable(f"no parser process can be started: {error}"))

    def _failure_of_the_only_page(self, code: int) -> PageDigest | None:
        """What to answer for it; None while others may be to blame: pages, or whoever ends processes."""
        if len(self.jobs) != 1:
            return None
        [job] = self.jobs
        # An answer may still have come in after the time was up: then nobody knows whose fault it was.
        if self._overdue is job:
            seconds = self._pool.timeout_seconds
            return PageDigest(failure=OutcomeKind.PARSE_TIMEOUT, detail=f"not parsed in {seconds:g} s")
        if self._overdue is None and job.is_suspect:
            return PageDigest(failure=OutcomeKind.PARSER_CRASH, detail=_how_it_died(code))
        return None

    def _watch(self) -> None:
        """Give the page at hand its time."""
        self._unwatch()
        if self.jobs:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._pool.timeout_seconds, self._give_up)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._overdue = self.jobs[0] if self.jobs else None
        self._process.kill()


def _how_it_died(code: int) -> str:
    if code == OUT_OF_MEMORY:
        return "the parser ran out of memory"
    if code < 0 and -code in signal.valid_signals():
        return f"the parser was ended by {signal.Signals(-code).name}"
    return f"the parser died with code {code}"
