"""A process that reads pages for an index: one that hangs or dies costs the pages at hand, and another takes its place.

Started anew, not forked: the parent may have threads, which a fork does not carry over in a state to rely on. The
parsers of a crawl are forked by a server of their own and speak with its event loop; here is none.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final, cast

from hinterland.search.main_content import HostProfile
from hinterland.search.near_duplicates import signature
from hinterland.search.store.values.documents import Digest, RawContent

Batch = tuple[list[RawContent], Mapping[int, HostProfile]]
Digester = Callable[[RawContent, HostProfile], Digest]
"""How one page is read; a function of a module, so that another process can find it."""

_ATTEMPTS: Final = 4
_START_SECONDS: Final = 300.0
"""To import and read what was compiled takes a second; on a machine that is busy or swaps, many."""


class ReadersUnusable(Exception):
    """Processes die again and again before they have read a page: no page is to blame, and none will fare better."""


class ReaderProcess:
    """Started with the first batch. `read` is for one thread at a time; `stop` may be called from another."""

    def __init__(self, digester: Digester) -> None:
        self._digester = digester
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._is_stopped = False

    def read(self, batch: Batch, seconds: float) -> list[Digest] | None:
        """The digests of a batch; None if reading it raises, takes longer than that many seconds or ends the process.

        A process that dies before it has begun is replaced, and the batch tried again without blame. Raises
        ReadersUnusable.
        """
        for _ in range(_ATTEMPTS):
            connection = self._started()
            try:
                connection.send(batch)
                has_begun = connection.poll(_START_SECONDS) and connection.recv()
            except (EOFError, OSError):
                has_begun = False
            if has_begun:
                return self._answer(connection, seconds)
            self._end()
        raise ReadersUnusable(f"the processes that read pages died {_ATTEMPTS} times before they had read one")

    def stop(self) -> None:
        """End it, whatever it is at; a `read` under way returns or raises soon."""
        self._is_stopped = True
        self._end()

    def _answer(self, connection: Connection, seconds: float) -> list[Digest] | None:
        try:
            if connection.poll(seconds):
                return cast("list[Digest] | None", connection.recv())
        except (EOFError, OSError):
            pass  # it died, of a page as far as anybody knows
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
                    process = context.Process(target=_serve, args=(theirs, self._digester), daemon=True)
                    process.start()
                self._process = process  # one that could not be started is none to end
                self._connection = ours
            return self._connection

    def _end(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.join()
            if self._connection is not None and not self._is_stopped:
                self._connection.close()  # else the thread that reads may be about to look at it
                self._connection = None


def _serve(connection: Connection, digester: Digester) -> None:
    """Answer each batch with True, once it is there, and its digests, or None if they cannot be made."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever builds
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signature("")  # compiled here, so that no page's time is spent on that
    while True:
        connection.poll(None)
        connection.send(True)
        answer: list[Digest] | None
        try:
            pages, profiles = connection.recv()
            answer = [digester(page, profiles.get(page.host, HostProfile())) for page in pages]
        except EOFError:
            return
        except Exception:  # nobody knows beforehand what a page can bring a parser to
            answer = None
        connection.send(answer)


def _end_with_parent() -> None:
    """A builder that is killed stops no process of its own, and one that reads a page looks at nothing else."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
