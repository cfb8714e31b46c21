"""A worker process that reads stored pages. If it hangs or dies, only its pages fail, and it is replaced.

It is spawned, not forked: the parent may have threads, which a fork does not carry over safely. The parsers of a crawl
are forked by a fork server and talk to its event loop, which does not exist here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, Generic, TypeVar, cast

Page = TypeVar("Page")
Read = TypeVar("Read")

_ATTEMPTS: Final = 4
_START_SECONDS: Final = 300.0
"""How long a process may take to start. Imports and loading compiled code take a second, but much longer on a busy or
swapping machine.
"""


class ReadersUnusable(Exception):
    """Raised if worker processes died repeatedly before reading any page, so that no page can be the cause."""


def nothing() -> None:
    """Prepare nothing."""


class ReaderProcess(Generic[Page, Read]):
    """A worker process, started with the first batch.

    `read` may be called by one thread at a time, `stop` by any thread.
    """

    def __init__(self, reader: Callable[[Page], Read], prepare: Callable[[], object] = nothing) -> None:
        """Start without a process.

        `reader` reads one page; `prepare` is called first in the process, and does not count as a page's time. Both
        must be picklable, such as functions of modules.
        """
        self._reader = reader
        self._prepare = prepare
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._is_stopped = False

    def read(self, batch: Sequence[Page], seconds: float) -> list[Read] | None:
        """Return what was read from each page of a batch.

        Returns None if reading the batch raises, takes longer than `seconds` or kills the process. A process that dies
        before it has begun is replaced, and the batch is retried. Raises ReadersUnusable.
        """
        for _ in range(_ATTEMPTS):
            connection = self._started()
            try:
                connection.send(list(batch))
                has_begun = connection.poll(_START_SECONDS) and connection.recv()
            except (EOFError, OSError):
                has_begun = False
            if has_begun:
                return self._answer(connection, seconds)
            self._end()
        raise ReadersUnusable(f"the processes that read pages died {_ATTEMPTS} times before reading any page")

    def stop(self) -> None:
        """Kill the process immediately; a `read` in progress returns or raises soon."""
        self._is_stopped = True
        self._end()

    def _answer(self, connection: Connection, seconds: float) -> list[Read] | None:
        try:
            if connection.poll(seconds):
                return cast("list[Read] | None", connection.recv())
        except (EOFError, OSError):
            pass  # it died, presumably because of a page
        self._end()
        return None

    def _started(self) -> Connection:
        with self._lock:
            if self._is_stopped:
                raise ReadersUnusable("reading was stopped")
            if self._connection is None:
                context = multiprocessing.get_context("spawn")
                ours, theirs = context.Pipe()
                with theirs:
                    process = context.Process(target=_serve, args=(theirs, self._reader, self._prepare), daemon=True)
                    process.start()
                self._process = process  # set only once started, so that _end does not kill one that never ran
                self._connection = ours
            return self._connection

    def _end(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.join()
            if self._connection is not None and not self._is_stopped:
                self._connection.close()  # otherwise a reading thread may be about to use it
                self._connection = None


def _serve(connection: Connection, reader: Callable[[Any], object], prepare: Callable[[], object]) -> None:
    """Answer each batch with True on arrival, and then with what was read, or None if it cannot be read."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    threading.Thread(target=_end_with_parent, daemon=True).start()
    prepare()
    while True:
        connection.poll(None)
        connection.send(True)
        answer: list[object] | None
        try:
            answer = [reader(page) for page in connection.recv()]
        except EOFError:
            return
        except Exception:  # a hostile page can make a parser raise anything
            answer = None
        connection.send(answer)


def _end_with_parent() -> None:
    """Exit when the parent process ends.

    A parent that is killed cannot stop its workers, and a worker that is reading a page would not notice otherwise.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
