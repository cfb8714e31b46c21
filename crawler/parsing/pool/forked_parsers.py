"""The crawl's side of parser processes, which are forked by a server (`fork_server`) that is restarted if it dies."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from hinterland.crawler.parsing.pool.fork_server import ENDED, ORDER, REPORT, STARTED
from hinterland.distribution.installation import code_folder, import_path

_KEEP_FREED_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(64 << 20), "MALLOC_MMAP_THRESHOLD_": str(32 << 20)}
"""Makes glibc return less memory between two pages, because the next page needs it again. A crawl of 4,000 pages had
64,000 to 68,000 page faults instead of 95,000 to 112,000. Other C libraries ignore this.
"""
_HEARD_BYTES = 4096


class ForkedParser:
    """A parser process that was ordered, and may not have started yet.

    `process` is its id. It is None before the process or its server has reported it, and after the process has ended.
    """

    def __init__(self, restart_server: Callable[[], None]) -> None:
        """Prepare for a process; `restart_server` is called to kill a process that never started."""
        self.process: int | None = None
        self._restart_server = restart_server
        self._end: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def ended(self) -> int | None:
        """Wait until the process has ended; return its exit code, or None if the server ended first.

        Raises OSError if the process never existed.
        """
        return await asyncio.shield(self._end)

    def kill(self) -> None:
        """Kill the process; if it never started, kill the server, which is not responding."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
        elif not self._end.done():
            self._restart_server()

    def has_ended(self, code: int | None) -> None:
        """Note that the process ended with this exit code, or None if it is unknown."""
        self.process = None
        self.lose_track(code)

    def lose_track(self, code: int | None) -> None:
        """Note that the end of the process will not be reported, because its server has ended."""
        if not self._end.done():
            self._end.set_result(code)

    def has_failed(self, error: OSError) -> None:
        """Note that the process could not be forked."""
        if not self._end.done():
            self._end.set_exception(error)
            self._end.exception()  # marks the exception as retrieved, since nobody has to await it


class ForkedParsers:
    """Orders parser processes. `close` must be called after they have ended."""

    def __init__(self, greeting: bytes) -> None:
        """Prepare without starting the server; `greeting` is the frame of the ParserConfig."""
        self._greeting = greeting
        self._server: asyncio.subprocess.Process | None = None
        self._orders: socket.socket
        self._starting = asyncio.Lock()
        self._heard = bytearray()
        self._ordered: deque[ForkedParser] = deque()
        self._started: dict[int, ForkedParser] = {}
        self._losing: set[asyncio.Task[None]] = set()

    async def fork(self, channel: socket.socket, progress: int) -> ForkedParser:
        """Request a new parser from the fork server.

        The parser uses a copy of `channel`, and writes its ParserProgress to the file descriptor `progress`. Raises
        OSError if no server can be started.
        """
        async with self._starting:
            if self._server is None:
                await self._start()
            forked = ForkedParser(self._kill_server)
            with suppress(BrokenPipeError, ConnectionResetError):
                socket.send_fds(self._orders, [ORDER], [channel.fileno(), progress])
            self._ordered.append(forked)
            return forked

    async def close(self) -> None:
        """End the server and wait for it."""
        async with self._starting:
            if self._server is not None:
                if self._ordered:
                    self._kill_server()  # the server is still starting, and nobody waits for it
                self._drop_server()
        await asyncio.gather(*self._losing)

    def _kill_server(self) -> None:
        if self._server is not None and self._server.returncode is None:
            self._server.kill()

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._server = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-P",  # do not import from the working folder
                    "-m",
                    f"{__package__}.fork_server",
                    str(theirs.fileno()),
                    pass_fds=[theirs.fileno()],
                    stdin=asyncio.subprocess.DEVNULL,
                    cwd=code_folder(),
                    env={**os.environ, "PYTHONPATH": import_path(), **_KEEP_FREED_MEMORY},
                )
            except BaseException:
                ours.close()
                raise
        self._orders = ours
        with suppress(BrokenPipeError, ConnectionResetError):  # if the server has died, reading will show it
            ours.sendall(self._greeting)
        ours.setblocking(False)
        asyncio.get_running_loop().add_reader(ours, self._read_reports)

    def _read_reports(self) -> None:
        try:
            data = self._orders.recv(_HEARD_BYTES)
        except BlockingIOError:
            return
        except ConnectionResetError:  # the server died with orders pending
            data = b""
        if not data:
            self._drop_server()
            return
        self._heard += data
        while len(self._heard) >= REPORT.size:
            self._take(*REPORT.unpack_from(self._heard))
            del self._heard[: REPORT.size]

    def _take(self, what: int, process: int, code: int) -> None:
        if what == ENDED:
            self._started.pop(process).has_ended(code)
            return
        forked = self._ordered.popleft()
        if what == STARTED:
            forked.process = process
            self._started[process] = forked
        else:
            forked.has_failed(OSError(code, f"no process could be forked: {os.strerror(code)}"))

    def _drop_server(self) -> None:
        """Drop the server, whether or not it has ended by itself."""
        assert self._server is not None
        asyncio.get_running_loop().remove_reader(self._orders)
        self._orders.close()
        task = asyncio.get_running_loop().create_task(_report_end(self._server, list(self._ordered)))
        self._losing.add(task)
        task.add_done_callback(self._losing.discard)
        for forked in self._started.values():
            forked.lose_track(None)
        self._server = None
        self._heard.clear()
        self._ordered.clear()
        self._started.clear()


async def _report_end(server: asyncio.subprocess.Process, ordered: list[ForkedParser]) -> None:
    code = await server.wait()
    for forked in ordered:
        forked.has_ended(code)
