"""The pool of parser processes: killable, replaced when they die, never the end of a crawl."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType

import msgspec

from crawler.environment import ROOT
from crawler.fetching.outcomes import OutcomeKind
from crawler.parsing.compiled.freed_memory import LARGE_BYTES, give_back_freed_memory
from crawler.parsing.messages import OUT_OF_MEMORY, FrameReader, PageDigest, ParserConfig, RawPage, frame

_AHEAD = 8
"""Pages handed to a process before it has answered. It answers those it finds waiting together, which spares
most of the switches between two processes on one core."""
_START_SECONDS = 60.0
_START_ATTEMPTS = 3
_SLOW_SECONDS = 0.2
"""A page that takes more CPU time has its process to itself: what was to come after it goes to others. Usual pages
take a millisecond, those of 10 MB a quarter of a second."""
_LEAST_SECONDS = 0.02
_GZIP_LENGTH_BYTES = 4
_USUAL_RATIO = 5
_LARGE_BYTES = 300_000
"""Unpacked. One page in a hundred has more."""
_VERY_LARGE_BYTES = 6_000_000
"""Smaller ones are done before a spare process has started, which takes half a second of CPU time and 15 MB."""
_MAX_WAITING_BYTES = 16_000_000
_CPU_CLOCK = 2
"""With the complement of a process's number, the clock of the CPU time it has used (see clock_getcpuclockid(3))."""
_SPARES = 2
"""Processes more than asked for, started when slow pages keep those busy that there are."""
_TRIM_SECONDS = 3.0
"""After a large page, by when most of what it brought is written, what was freed is given back: of 290 MB, 50."""
_MAX_SLOW = 16
"""Slow pages that may wait for a second try; each holds a visit of the crawl."""
_KEEP_FREED_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(64 << 20), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
"""glibc is told to give less back between two pages, which need the same again: a crawl of 4,000 pages had 64,000 to
68,000 page faults instead of 95,000 to 112,000. Other C libraries take no notice."""


class ParsersUnusable(Exception):
    """Parser processes die before they have seen a page: no page is to blame, and no other will fare better."""


@dataclass(slots=True, eq=False)
class _Job:
    """is_large: it may take long. is_suspect: a process died while it was under way, so it is tried again by itself.
    is_slow: it has its process to itself, as it may take long or was stopped when it kept the last one from all others.
    """

    payload: bytes
    answer: asyncio.Future[PageDigest]
    is_large: bool = False
    is_suspect: bool = False
    is_slow: bool = False


def unpacked_bytes(raw: RawPage) -> int:
    """About how long a body is when it is decoded, as far as that shows without decoding it."""
    if "gzip" in raw.content_encoding and len(raw.body) >= _GZIP_LENGTH_BYTES:  # RFC 1952: ISIZE
        return max(int.from_bytes(raw.body[-_GZIP_LENGTH_BYTES:], "little"), len(raw.body))
    return len(raw.body) * (_USUAL_RATIO if raw.content_encoding else 1)


class ParserPool:
    """`await pool.parse(raw)` from any number of tasks; use as an async context manager.

    A page that keeps a process busy for timeout_seconds is answered with PARSE_TIMEOUT, one that takes the
    process down with PARSER_CRASH. Whatever was under way in a process that died is tried again, each page by
    itself: then the one to blame shows, and those lose nothing that were beside it, or came as it was being killed.

    A page that takes long keeps nobody else waiting. Large ones are read one at a time, by a process that has another
    one beside it; a spare one is started for that if a page is very large, or has turned out to be slow. Where a small
    one turns out to be slow, what was to come after it goes to others, and if it has the
    last process, it is stopped and tried again after the large ones. Of very many that wait for that, the last are
    answered with PARSE_TIMEOUT at once.
    """

    def __init__(self, config: ParserConfig, *, processes: int, timeout_seconds: float) -> None:
        self._config = config
        self._timeout_seconds = timeout_seconds
        self._encoder = msgspec.msgpack.Encoder()
        self._waiting: deque[_Job] = deque()
        self._large: deque[_Job] = deque()
        self._slow: deque[_Job] = deque()
        self._waiting_bytes = 0
        self._spares_left = _SPARES  # with those asked for, at least one is left when another has a slow page
        self._starting: set[asyncio.Task[None]] = set()
        self._usual = frozenset(_ParserProcess(self) for _ in range(processes))
        self._processes = list(self._usual)
        self._closed = False
        self._trimming: asyncio.TimerHandle | None = None
        self._failure: ParsersUnusable | None = None
        self.restarts = 0

    async def __aenter__(self) -> ParserPool:
        await asyncio.gather(*(process.start() for process in self._processes))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closed = True
        if self._trimming is not None:
            self._trimming.cancel()
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(process.stop() for process in self._processes))

    @property
    def backlog(self) -> int:
        """Pages handed in and not yet answered."""
        under_way = sum(job is not None for process in self._processes for job in process.jobs)
        return len(self._waiting) + len(self._large) + len(self._slow) + under_way

    @property
    def is_saturated(self) -> bool:
        """Whether so much is handed in and not yet answered that more would fill the memory. How many pages it is does
        not matter: those of one host may take long while the visits to others go on."""
        return self._waiting_bytes > _MAX_WAITING_BYTES

    async def parse(self, raw: RawPage) -> PageDigest:
        if self._failure is not None:
            raise self._failure
        size = unpacked_bytes(raw)
        answer = asyncio.get_running_loop().create_future()
        job = _Job(frame(raw, self._encoder), answer, is_large=size > _LARGE_BYTES)
        self._waiting_bytes += len(job.payload)
        if size > _VERY_LARGE_BYTES or (job.is_large and len(self._processes) > 1):
            self._set_apart(job)
            if len(self._processes) == 1:
                self._start_spare()
        else:
            self._waiting.append(job)
        self._hand_out()
        try:
            return await job.answer
        finally:
            self._waiting_bytes -= len(job.payload)

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
        for job in reversed(jobs):
            if job.is_large and not job.is_slow and len(self._processes) > 1:
                self._set_apart(job)
            else:
                (self._slow if job.is_slow else self._waiting).appendleft(job)
        self._hand_out()

    def has_others_than(self, process: _ParserProcess) -> bool:
        """Whether pages can go on while this process is busy with a slow one; else a spare one is started, if any."""
        free = sum(not each.is_slow for each in self._processes if each is not process)
        return free > 1 or self._start_spare() or free > 0

    def _set_apart(self, job: _Job) -> None:
        """Let a large page have a process to itself; there is one at a time."""
        job.is_slow = True
        self._large.append(job)

    def _start_spare(self) -> bool:
        if not self._spares_left or self._closed:
            return False
        self._spares_left -= 1
        spare = _ParserProcess(self)
        self._processes.append(spare)
        for job in [job for job in self._waiting if job.is_large]:
            self._waiting.remove(job)
            self._set_apart(job)
        task = asyncio.get_running_loop().create_task(self._start_beside(spare))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        return True

    async def _start_beside(self, spare: _ParserProcess) -> None:
        try:
            await spare.start()
        except OSError:  # it has to do without, then
            self._processes.remove(spare)
            self._hand_out()

    def put_aside(self, job: _Job) -> None:
        """Try a slow page again later, if there are not too many."""
        if len(self._slow) < _MAX_SLOW:
            job.is_slow = True
            self._slow.append(job)
        elif not job.answer.done():
            detail = f"not parsed in {_SLOW_SECONDS:g} s, and {_MAX_SLOW} others like it were waiting"
            job.answer.set_result(PageDigest(failure=OutcomeKind.PARSE_TIMEOUT, detail=detail))

    def give_up(self, failure: ParsersUnusable) -> None:
        """Fail whatever waits, and will come: a crawl without parsers has to end."""
        self._failure = failure
        for job in (*self._waiting, *self._large, *self._slow):
            if not job.answer.done():
                job.answer.set_exception(failure)
        self._waiting.clear()
        self._large.clear()
        self._slow.clear()

    def trim_soon(self) -> None:
        """Something large came and will be freed."""
        if self._trimming is None:
            self._trimming = asyncio.get_running_loop().call_later(_TRIM_SECONDS, self._trim)

    def _trim(self) -> None:
        self._trimming = None
        give_back_freed_memory()

    def hand_out_more(self) -> None:
        if self._waiting or self._large or self._slow:
            self._hand_out()

    def _hand_out(self) -> None:
        heavy = self._large or self._slow
        if heavy and not any(process.is_slow for process in self._processes):
            idle = [process for process in self._processes if process.is_idle]
            if idle and (len(self._processes) == 1 or sum(process.is_ready for process in self._processes) > 1):
                idle[-1].give(heavy.popleft())
        while self._waiting:
            job = self._waiting[0]
            ready = [process for process in self._processes if process.can_take(job)]
            if not ready:
                return
            # Not to a spare one unless there is no other: one process remembers more hrefs of a page than each of two.
            usual = [process for process in ready if process in self._usual] or ready
            min(usual, key=lambda process: len(process.jobs)).give(self._waiting.popleft())


class _ParserProcess(asyncio.Protocol):
    """One process, and the pages it has been given, which it answers in order."""

    def __init__(self, pool: ParserPool) -> None:
        self._pool = pool
        self.jobs: deque[_Job | None] = deque()
        """None: a page that was given to another since, and whose answer counts for nothing."""
        self.is_slow = False
        self._decoder = msgspec.msgpack.Decoder(PageDigest)
        self._reader = FrameReader()
        self._transport: asyncio.Transport | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._was_put_aside = False
        self._deadline = 0.0
        self._cpu_before: float | None = None  # when the page at hand was looked at first
        self._is_looking = False
        self._timer: asyncio.TimerHandle | None = None
        self._overdue: _Job | None = None
        self._has_greeted = False
        self._failed_starts = 0
        self._replacing: asyncio.Task[None] | None = None

    def can_take(self, job: _Job) -> bool:
        if not self.is_ready:
            return False
        if not self.jobs:
            return True
        first = self.jobs[0]
        return len(self.jobs) < _AHEAD and not job.is_suspect and first is not None and not first.is_suspect

    @property
    def is_ready(self) -> bool:
        """Whether it is there, and not busy with a slow page."""
        return self._transport is not None and self._has_greeted and not self.is_slow

    @property
    def is_idle(self) -> bool:
        return self.is_ready and not self.jobs

    async def start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "crawler.parsing.pool.worker",
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT), **_KEEP_FREED_MEMORY},
            )
        self._reader = FrameReader()
        self._overdue, self._has_greeted, self.is_slow = None, False, False
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
        self._unwatch()
        if self._process is not None and self._process.returncode is None:
            if self.jobs or not self._has_greeted:
                self._process.kill()  # it may be busy with a page for minutes, and nobody waits for it
            await self._process.wait()

    def give(self, job: _Job) -> None:
        assert self._transport is not None
        self.jobs.append(job)
        self._transport.write(job.payload)
        if len(self.jobs) == 1:
            self.is_slow = job.is_slow
            self._watch()

    def data_received(self, data: bytes) -> None:
        for payload in self._reader.feed(data):
            if not self._has_greeted:
                self._has_greeted = True
                self._failed_starts = 0
                continue
            job = self.jobs.popleft()
            self.is_slow = False
            if len(payload) > LARGE_BYTES or (job is not None and len(job.payload) > LARGE_BYTES):
                self._pool.trim_soon()
            if job is not None and not job.answer.done():
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
        assert self._process is not None
        code = await self._process.wait()
        self._pool.restarts += 1
        failure = self._failure_of_the_only_page(code)
        jobs = [job for job in self.jobs if job is not None and not job.answer.done()]
        self.jobs.clear()
        if self._was_put_aside and jobs:
            self._pool.put_aside(jobs.pop(0))
        self._was_put_aside = False
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
        jobs = [job for job in self.jobs if job is not None]
        if len(jobs) != 1 or self._was_put_aside:
            return None
        [job] = jobs
        # An answer may still have come in after the time was up: then nobody knows whose fault it was.
        if self._overdue is job:
            seconds = self._pool.timeout_seconds
            return PageDigest(failure=OutcomeKind.PARSE_TIMEOUT, detail=f"not parsed in {seconds:g} s")
        if self._overdue is None and job.is_suspect:
            return PageDigest(failure=OutcomeKind.PARSER_CRASH, detail=_how_it_died(code))
        return None

    def _watch(self) -> None:
        """Give the page at hand its time: at first so much that it need not wait for others, nor they for it."""
        if not self._is_looking:
            self._unwatch()
        if not self.jobs:
            return
        loop, seconds = asyncio.get_running_loop(), self._pool.timeout_seconds
        self._deadline = loop.time() + seconds
        if self.is_slow or seconds <= _SLOW_SECONDS:
            self._unwatch()
            self._timer = loop.call_later(seconds, self._give_up)
            return
        self._cpu_before = None
        if self._timer is None:
            self._look_again()

    def _look_again(self) -> None:
        self._is_looking = True
        self._timer = asyncio.get_running_loop().call_later(_SLOW_SECONDS, self._look)

    def _look(self) -> None:
        """Now and then, since a timer for each page would cost more than most pages do."""
        self._is_looking, self._timer = False, None
        if not self.jobs:
            return
        if self._cpu_before is None:  # it came since
            self._cpu_before = self._cpu_seconds()
            self._look_again()
        else:
            self._be_slow()

    def _cpu_seconds(self) -> float:
        """What the process has used so far; where that cannot be asked, the time of day does."""
        if self._process is not None and sys.platform == "linux":
            with suppress(OSError):  # it is gone
                return time.clock_gettime((~self._process.pid << 3) | _CPU_CLOCK)
        return time.monotonic()

    def _be_slow(self) -> None:
        """Let others do what was to come after the page at hand, or give it up for now if there are none."""
        assert self._cpu_before is not None
        used = self._cpu_seconds() - self._cpu_before
        loop = asyncio.get_running_loop()
        if used < _SLOW_SECONDS and loop.time() < self._deadline:  # it has to share its core
            self._timer = loop.call_later(max(_SLOW_SECONDS - used, _LEAST_SECONDS), self._be_slow)
            return
        self.is_slow = True
        job, *others = self.jobs
        if job is None:  # it is being read elsewhere, too
            self._process_kill()
            return
        self.jobs = deque([job, *(None for _ in others)])
        if self._pool.has_others_than(self):
            self._timer = asyncio.get_running_loop().call_at(self._deadline, self._give_up)
        else:
            self._was_put_aside = True
            self._process_kill()
        self._pool.take_back([other for other in others if other is not None])

    def _unwatch(self) -> None:
        self._is_looking = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._overdue = self.jobs[0] if self.jobs else None
        self._process_kill()

    def _process_kill(self) -> None:
        self._unwatch()
        if self._process is not None and self._process.returncode is None:
            self._process.kill()


def _how_it_died(code: int) -> str:
    if code == OUT_OF_MEMORY:
        return "the parser ran out of memory"
    if code < 0 and -code in signal.valid_signals():
        return f"the parser was ended by {signal.Signals(-code).name}"
    return f"the parser died with code {code}"
