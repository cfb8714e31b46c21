"""Forks parser processes. It is started as `python -m MODULE FD` and gets orders over FD, an inherited socket.

It imports and prepares everything that a parser needs, which takes half a second of CPU time. So a parser starts within
milliseconds, and parsers share the memory that none of them changes. The server has only one thread, since forking
would not be safe otherwise.

The server first receives the ParserConfig, preceded by its length. Each order after that is one byte, together with the
parser's socket and the file of its ParserProgress. Replies have the form REPORT. The server ends when the crawl closes
its end of the socket or ends in any way, and no parser outlives the server.
"""

from __future__ import annotations

import errno
import gc
import os
import select
import signal
import socket
import struct
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from hinterland.crawler.parsing.pool.page_digester import PageDigester

REPORT: Final = struct.Struct("=iii")
"""STARTED, NOT_STARTED or ENDED; the process id; and the exit code (negative for a signal) or the errno."""
STARTED, NOT_STARTED, ENDED = range(3)
"""Kinds of reports. Each order is answered by STARTED or NOT_STARTED, in sequence."""
ORDER: Final = b"f"
LENGTH_BYTES: Final = 4
_MANY: Final = 4096


def main() -> None:
    """Serve orders from the socket given on the command line."""
    for request in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # sent to the whole group; the crawl decides
        signal.signal(request, signal.SIG_IGN)
    with (
        socket.socket(fileno=int(sys.argv[1])) as orders,
        suppress(BrokenPipeError, ConnectionResetError),  # the crawl has ended
    ):
        serve(orders)


def serve(orders: socket.socket) -> None:
    """Fork processes as ordered, and report when they end, until the other side hangs up."""
    # Import only after signals are ignored: this takes most of the time, and Ctrl-C must not interrupt it.
    import msgspec

    from hinterland.crawler.parsing.messages import ParserConfig
    from hinterland.crawler.parsing.pool.page_digester import PageDigester

    length = int.from_bytes(orders.recv(LENGTH_BYTES, socket.MSG_WAITALL), "big")
    config = msgspec.msgpack.decode(orders.recv(length, socket.MSG_WAITALL), type=ParserConfig)
    _yield_to_the_crawl()
    digester = PageDigester(config)
    gc.set_threshold(200_000, 50, 100)
    gc.collect()
    gc.freeze()  # a collection would write to memory that is shared with the parsers
    _Forks(orders, digester, config.max_memory_bytes).serve()


class _Forks:
    """The running parsers that this server has forked."""

    def __init__(self, orders: socket.socket, digester: PageDigester, max_memory_bytes: int) -> None:
        """Start without any parser."""
        self._orders = orders
        self._digester = digester
        self._max_memory_bytes = max_memory_bytes
        self._parsers: set[int] = set()
        self._woken, self._wakes = socket.socketpair()
        """Readable when a parser has ended: the signal handler writes to it."""

    def serve(self) -> None:
        """Fork parsers as ordered, and report when they end; kill all of them when the other side hangs up."""
        for end in (self._woken, self._wakes):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        try:
            while True:
                ready, _, _ = select.select((self._orders, self._woken), (), ())
                if self._orders in ready:
                    order, files, _, _ = socket.recv_fds(self._orders, len(ORDER), 2)
                    if not order:
                        return
                    self._fork(files)
                if self._woken in ready:
                    self._woken.recv(_MANY)
                    self._reap()
        finally:
            signal.set_wakeup_fd(-1)  # the socket for signals is closed soon, and parsers may still end
            for parser in self._parsers:
                os.kill(parser, signal.SIGKILL)

    def _fork(self, files: list[int]) -> None:
        """Fork a parser; `files` holds its two descriptors, or fewer if no more could be opened."""
        try:
            if len(files) < 2:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            parser = os.fork()
        except OSError as error:
            self._tell(NOT_STARTED, 0, error.errno or 0)
        else:
            if parser == 0:
                self._run_parser(*files)
            self._parsers.add(parser)
            self._tell(STARTED, parser, 0)
        for file in files:
            os.close(file)

    def _run_parser(self, channel: int, progress: int) -> NoReturn:
        from hinterland.crawler.parsing.pool.progress import ParserProgress
        from hinterland.crawler.parsing.pool.worker import work

        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for end in (self._orders, self._woken, self._wakes):
                end.close()
            told = ParserProgress(progress)
            os.close(progress)
            with socket.socket(fileno=channel) as connection:
                code = work(connection, told, self._digester, self._max_memory_bytes)
        except Exception:  # a bug that would go unnoticed
            traceback.print_exc()
        finally:
            os._exit(code)

    def _reap(self) -> None:
        while self._parsers:
            parser, status = os.waitpid(-1, os.WNOHANG)
            if not parser:
                return
            self._parsers.discard(parser)
            self._tell(ENDED, parser, os.waitstatus_to_exitcode(status))

    def _tell(self, what: int, parser: int, code: int) -> None:
        self._orders.sendall(REPORT.pack(what, parser, code))


def _yield_to_the_crawl() -> None:
    """Let the crawl's main process run first, in case it shares the core with this one."""
    if hasattr(os, "SCHED_BATCH"):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


if __name__ == "__main__":
    main()
