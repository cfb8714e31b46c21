"""The pool of parser processes. If one dies or is killed, it is replaced, and the crawl continues."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Final

import msgspec

from hinterland.crawler.parsing.compiled.freed_memory import release_freed_memory
from hinterland.crawler.parsing.messages import PageDigest, ParserConfig, RawPage, frame
from hinterland.crawler.parsing.pool.fair_host_queue import FairHostQueue
from hinterland.crawler.parsing.pool.forked_parsers import ForkedParser, ForkedParsers
from hinterland.crawler.parsing.pool.jobs import ParseJob, unpacked_bytes
from hinterland.crawler.parsing.pool.parser_process import ParserProcess, ParsersUnusable

_LARGE_BYTES: Final = 1_000_000
"""The decoded size from which a page is large. Few pages are large; smaller pages that are slow are noticed while they
are parsed.
"""
_VERY_LARGE_BYTES: Final = 6_000_000
"""The decoded size from which a spare process is started. Smaller pages finish soon, and another process would use
memory for the rest of the crawl.
"""
_MAX_WAITING_BYTES: Final = 16_000_000
_SPARES: Final = 2
"""The maximum number of extra processes, which are started when slow pages keep the configured processes busy."""
_TRIM_SECONDS: Final = 1.5
_TRIMS: Final = 10
"""How often freed memory is returned to the system after a large page, while its links are numbered and written piece
by piece: up to 20 of 160 MB each time.
"""


class ParserPool:
    """Parses pages in processes. It is an async context manager; any number of tasks may call `parse`.

    A page that keeps a process busy for timeout_seconds is answered with PARSE_TIMEOUT, and a page that crashes the
    process with PARSER_CRASH. All pages in progress in a process that died are retried one at a time. This shows which
    page is the cause, and the other pages are not affected.

    Slow pages do not delay others. Large pages are parsed one at a time, and only if another process remains for other
    pages; a spare process is started for this if a page is very large, or turned out to be slow. If a small page turns
    out to be slow, the pages behind it go to other processes. The number of slow pages in progress is bounded so that
    one process is left for other pages; a further slow page is stopped and waits for its turn. Hosts take turns.
    """

    def __init__(self, config: ParserConfig, *, processes: int, timeout_seconds: float, at_once: bool = True) -> None:
        """Create the pool, which starts its processes when it is entered if `at_once`, otherwise with the first page.

        Starting the processes takes half a second of CPU time.
        """
        self._timeout_seconds = timeout_seconds
        self._are_started = at_once
        self._forked = ForkedParsers(frame(config, msgspec.msgpack.Encoder()))
        self._waiting: deque[ParseJob] = deque()
        self._large = FairHostQueue()
        self._slow = FairHostQueue()
        self._most_slow = max(1, processes - 1)
        self._waiting_bytes = 0
        self._spares_left = _SPARES  # with the configured processes, at least one remains if another has a slow page
        self._starting: set[asyncio.Task[None]] = set()
        self._usual = processes
        self._processes = [ParserProcess(self) for _ in range(processes)]
        self._closed = False
        self._trimming: asyncio.TimerHandle | None = None
        self._trims_left = 0
        self._failure: ParsersUnusable | None = None
        self.restarts = 0

    async def __aenter__(self) -> ParserPool:
        """Start the processes, unless they wait for the first page."""
        if self._are_started:
            await asyncio.gather(*(process.start() for process in self._processes))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End all processes."""
        self._closed = True
        if self._trimming is not None:
            self._trimming.cancel()
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        await asyncio.gather(*(process.stop() for process in self._processes))
        await self._forked.close()

    @property
    def backlog(self) -> int:
        """How many pages were handed in and not yet answered."""
        under_way = sum(job is not None for process in self._processes for job in process.jobs)
        return len(self._waiting) + len(self._large) + len(self._slow) + under_way

    @property
    def is_saturated(self) -> bool:
        """Whether unanswered pages use so much memory that no more should be handed in.

        The number of pages does not matter, so that visits to other hosts continue while the pages of one host take
        long.
        """
        return self._waiting_bytes > _MAX_WAITING_BYTES

    async def parse(self, raw: RawPage) -> PageDigest:
        """Return what was read from the page. Raises ParsersUnusable if no process can be started."""
        if self._failure is not None:
            raise self._failure
        if not self._are_started:
            self._are_started = True
            for process in self._processes:
                self._start_beside(process)
        size = unpacked_bytes(raw)
        answer = asyncio.get_running_loop().create_future()
        job = ParseJob(raw, answer, is_large=size > _LARGE_BYTES)
        self._waiting_bytes += job.bytes_held
        if size > _VERY_LARGE_BYTES or (job.is_large and len(self._processes) > 1):
            self._queue_large(job)
        else:
            self._waiting.append(job)
        self._hand_out()
        try:
            return await job.answer
        finally:
            self._waiting_bytes -= job.bytes_held

    # ---------------------------------------------------------------- for the processes

    @property
    def timeout_seconds(self) -> float:
        """How much CPU time a page may take."""
        return self._timeout_seconds

    @property
    def is_closed(self) -> bool:
        """Whether the pool is shutting down."""
        return self._closed

    @property
    def has_idle_spare(self) -> bool:
        """Whether there is a spare process that is idle and can be dropped."""
        return len(self._processes) > self._usual and not (self._large or self._slow)

    async def fork(self, channel: socket.socket, progress: int) -> ForkedParser:
        """Request a new parser process."""
        return await self._forked.fork(channel, progress)

    def take_back(self, jobs: list[ParseJob]) -> None:
        """Put jobs that a process will not answer back at the front of their queues."""
        for job in reversed(jobs):
            if job.is_large and len(self._processes) > 1:
                job.is_slow = True
            if job.is_slow:
                (self._large if job.is_large else self._slow).appendleft(job)
            else:
                self._waiting.appendleft(job)
        self._hand_out()

    def allows_slow(self, process: ParserProcess, job: ParseJob) -> bool:
        """Return whether the process may continue with a slow page while others parse the rest."""
        others = [each for each in self._processes if each is not process]
        if not self._has_room_for(others, is_large=job.is_large):
            return False
        free = sum(not each.is_slow for each in others)
        return free > 1 or self._start_spare() or free > 0

    def _has_room_for(self, processes: Sequence[ParserProcess], *, is_large: bool) -> bool:
        """Return whether one more slow page may be parsed in addition to those in progress in `processes`."""
        most = 1 if is_large else self._most_slow
        return sum(each.is_slow_with(large=is_large) for each in processes) < most

    def drop_if_spare(self, process: ParserProcess) -> bool:
        """Drop a process that has ended, if it is not needed; return whether it was dropped."""
        if not self.has_idle_spare:
            return False
        self._processes.remove(process)
        self._spares_left += 1
        return True

    def _queue_large(self, job: ParseJob) -> None:
        """Queue a large page, which will get a process to itself; large pages are parsed one at a time."""
        job.is_slow = True
        self._large.append(job)

    def _start_spare(self) -> bool:
        if not self._spares_left or self._closed:
            return False
        self._spares_left -= 1
        spare = ParserProcess(self)
        self._processes.append(spare)
        for job in [job for job in self._waiting if job.is_large]:
            self._waiting.remove(job)
            self._queue_large(job)
        self._start_beside(spare)
        return True

    def _start_beside(self, process: ParserProcess) -> None:
        task = asyncio.get_running_loop().create_task(self._started(process))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _started(self, process: ParserProcess) -> None:
        try:
            await process.start()
        except OSError as error:
            self.give_up(process, ParsersUnusable(f"cannot start a parser process: {error}"))

    def put_aside(self, job: ParseJob) -> None:
        """Queue a slow page behind the other slow pages of its host."""
        job.is_slow = True
        (self._large if job.is_large else self._slow).append(job)

    def give_up(self, process: ParserProcess, failure: ParsersUnusable) -> None:
        """Drop a process that cannot be started.

        If no process is left, fail all waiting and future pages, because a crawl cannot continue without parsers.
        """
        self._processes.remove(process)
        if self._processes:
            self._hand_out()
            return
        self._failure = failure
        for job in (*self._waiting, *self._large, *self._slow):
            if not job.answer.done():
                job.answer.set_exception(failure)
        self._waiting.clear()
        self._large.clear()
        self._slow.clear()

    def trim_soon(self) -> None:
        """Return memory to the system soon, because a large digest arrived that will be freed."""
        self._trims_left = _TRIMS
        if self._trimming is None:
            self._trimming = asyncio.get_running_loop().call_later(_TRIM_SECONDS, self._trim)

    def _trim(self) -> None:
        release_freed_memory()
        self._trims_left -= 1
        self._trimming = None
        if self._trims_left:
            self._trimming = asyncio.get_running_loop().call_later(_TRIM_SECONDS, self._trim)

    def hand_out_more(self) -> None:
        """Give waiting pages to free processes."""
        if self._waiting or self._large or self._slow:
            self._hand_out()

    def _hand_out(self) -> None:
        for queue in (self._large, self._slow):
            while (job := queue.next()) is not None and self._has_room_for(self._processes, is_large=job.is_large):
                if not self._hand_out_one(queue):
                    break
        while self._waiting:
            job = self._waiting[0]
            ready = [process for process in self._processes if process.can_take(job)]
            if not ready:
                return
            # Use a spare process only as a last resort: the fewer processes, the more of the hrefs each has in its
            # cache.
            usual = [process for process in self._processes[: self._usual] if process in ready] or ready
            min(usual, key=lambda process: len(process.jobs)).give(self._waiting.popleft())

    def _hand_out_one(self, heavy: FairHostQueue) -> bool:
        """Give a heavy page to an idle process if another one remains for the rest; return whether this was done."""
        idle = [process for process in self._processes if process.is_idle]
        if not idle:
            return False
        is_alone = len(self._processes) == 1
        if sum(process.is_ready for process in self._processes) > 1 or (is_alone and not self._start_spare()):
            idle[-1].give(heavy.take())
            return True
        if all(process.has_greeted for process in self._processes):
            self._start_spare()
        return False
