"""Parser processes as the crawl's own process knows them: forked by a server (`fork_server`), which is started again if
it dies.
"""

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
"""glibc is told to give less back between two pages, which need the same again: a crawl of 4,000 pages had 64,000 to
68,000 page faults instead of 95,000 to 112,000. Other C libraries take no notice."""
_HEARD_BYTES = 4096


class ForkedParser:
    """One process, ordered and perhaps not yet there. process: its number, from when it or its server tells it until
    it has ended.
    """

    def __init__(self, restart_server: Callable[[], None]) -> None:
        self.process: int | None = None
        self._restart_server = restart_server
        self._end: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def ended(self) -> int | None:
        """Its exit code, once it has ended; None if nobody knows, as the server ended before. Raises OSError if there
        never was a process.
        """
        return await asyncio.shield(self._end)

    def kill(self) -> None:
        """Of one that never came, the server is killed: it does not answer."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
        elif not self._end.done():
            self._restart_server()

    def has_ended(self, code: int | None) -> None:
        self.process = None
        self.is_unheard(code)

    def is_unheard(self, code: int | None) -> None:
        """Nobody will tell of its end any more."""
        if not self._end.done():
            self._end.set_result(code)

    def has_failed(self, error: OSError) -> None:
        if not self._end.done():
            self._end.set_exception(error)
            self._end.exception()  # whoever awaits it sees it; nobody has to


class ForkedParsers:
    """Orders parser processes. `close` it when they have ended."""

    def __init__(self, greeting: bytes) -> None:
        """greeting: the frame of the ParserConfig."""
        self._greeting = greeting
        self._server: asyncio.subprocess.Process | None = None
        self._orders: socket.socket
        self._starting = asyncio.Lock()
        self._heard = bytearray()
        self._ordered: deque[ForkedParser] = deque()
        self._started: dict[int, ForkedParser] = {}
        self._losing: set[asyncio.Task[None]] = set()

    async def fork(self, channel: socket.socket, progress: int) -> ForkedParser:
        """Order a parser that talks over a copy of `channel` and writes its ParserProgress to that file.

        Raises OSError if no server can be started.
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
        async with self._starting:
            if self._server is not None:
                if self._ordered:
                    self._kill_server()  # it is busy with its own start, and nobody waits for it
                self._lose()
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
                    "-P",  # not from the working folder
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
        with suppress(BrokenPipeError, ConnectionResetError):  # if it has died, that will show
            ours.sendall(self._greeting)
        ours.setblocking(False)
        asyncio.get_running_loop().add_reader(ours, self._hear)

    def _hear(self) -> None:
        try:
            data = self._orders.recv(_HEARD_BYTES)
        except BlockingIOError:
            return
        except ConnectionResetError:  # it has died with orders in its hands
            data = b""
        if not data:
            self._lose()
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

    def _lose(self) -> None:
        """Let go of the server, if it has not gone by itself."""
        assert self._server is not None
        asyncio.get_running_loop().remove_reader(self._orders)
        self._orders.close()
        task = asyncio.get_running_loop().create_task(_tell_the_end(self._server, list(self._ordered)))
        self._losing.add(task)
        task.add_done_callback(self._losing.discard)
        for forked in self._started.values():
            forked.is_unheard(None)
        self._server = None
        self._heard.clear()
        self._ordered.clear()
        self._started.clear()


async def _tell_the_end(server: asyncio.subprocess.Process, ordered: list[ForkedParser]) -> None:
    code = await server.wait()
    for forked in ordered:
        forked.has_ended(code)
