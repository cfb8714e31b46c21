"""Runs queries to the store in threads, with a time limit, each over a connection of its own.

Each query opens the file again. So a replaced store is noticed immediately, and a reader never delays the writer. If
the store is missing or damaged, only the query fails (NoStore), not the server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from hinterland.library.patient_reading import patient_reading
from hinterland.library.text.wording import duration
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_version import StoreVersion, store_version
from hinterland.web.answer_cache import AnswerCache, AnswerPending

T = TypeVar("T")
Question = Callable[[StoreReader], T]

_THREADS = 4
_MAX_PENDING = 64
_MAX_REMEMBERED = 256
_LONG_SECONDS = 600.0
"""Time limit of queries whose answers are cached: clients do not wait for them."""
_FORGOTTEN_SECONDS = 60.0
"""How long outdated answers are kept, for requests that accept them instead of waiting."""
_FRESH_SECONDS = 1.0
_FRESH_FACTOR = 5.0
"""An answer counts as fresh for this many times the duration of its query, so queries take at most a fifth of the time.
"""


class Overloaded(Exception):
    """Too many queries are waiting."""


@dataclass(slots=True)
class _Remembered:
    until: float
    answer: asyncio.Task[Any]
    before: asyncio.Task[Any] | None = None
    """The previous answer."""
    version: StoreVersion | None = None
    """The answer is valid while the store has this version; None if the version is unknown."""
    began: float = 0.0


class StoreQueries:
    """Runs the queries of one store. Mutable: it holds the threads and the answers that are still fresh.

    Use it in one event loop only. `kept` caches answers that take long.
    """

    def __init__(self, path: Path, *, patience_seconds: float = 10.0) -> None:
        """Start the threads; `patience_seconds` is the time limit of a query."""
        self.path = path
        self._patience_seconds = patience_seconds
        self._threads = ThreadPoolExecutor(_THREADS, "serve")
        self._pending = 0
        self._remembered: dict[Hashable, _Remembered] = {}
        self.kept = AnswerCache(self._long_answer, lambda: store_version(path))

    async def ask(self, question: Question[T]) -> T:
        """Run a query.

        Raises NoStore, TookTooLong or Overloaded.
        """
        return await self.in_thread(lambda: self._answered(question, self._patience_seconds))

    async def ask_seldom(
        self, key: Hashable, question: Question[T], *, within: float | None = None, of_rows_alone: bool = False
    ) -> T:
        """Run a slow query. All requests with this key share its answer for a second or more.

        Simultaneous requests wait for the same answer. If it takes longer than `within` seconds, the previous answer is
        returned, or AnswerPending is raised if there is none; the query continues. `of_rows_alone` means that the
        answer depends only on the contents of the store, not on the time or on whether a crawl is running. Such an
        answer remains valid until the store is written to.
        """
        now = time.monotonic()
        remembered = self._remembered.get(key)
        if remembered is None or (remembered.answer.done() and remembered.until <= now and not self._holds(remembered)):
            before = None if remembered is None or self._is_old(remembered, now) else remembered.answer
            version = store_version(self.path) if of_rows_alone else None
            remembered = _Remembered(0.0, asyncio.ensure_future(self._timed(key, question)), before, version, now)
            remembered.answer.add_done_callback(_note_failure)  # the client may have gone
            self._forget(now)
            self._remembered[key] = remembered
        done, _ = await asyncio.wait((remembered.answer,), timeout=within)
        if not done and remembered.before is None:
            so_far = duration(time.monotonic() - remembered.began)
            raise AnswerPending(f"still counting after {so_far}; try again in a moment")
        answer: T = (remembered.answer if done or remembered.before is None else remembered.before).result()
        return answer

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run a function in one of the threads.

        Raises Overloaded.
        """
        if self._pending >= _MAX_PENDING:
            raise Overloaded("too many requests are waiting; try again in a moment")
        self._pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._pending -= 1

    async def close(self) -> None:
        """Cancel all queries and end the threads."""
        await self.kept.close()
        for remembered in self._remembered.values():
            remembered.answer.cancel()
        answers = [each.answer for each in self._remembered.values()]
        await asyncio.gather(*answers, return_exceptions=True)
        self._threads.shutdown(cancel_futures=True)

    async def _timed(self, key: Hashable, question: Question[T]) -> T:
        started = time.monotonic()
        try:
            answer = await self.ask(question)
        except BaseException:
            self._remembered.pop(key, None)
            raise
        now = time.monotonic()
        if key in self._remembered:
            self._remembered[key].before = None
            self._remembered[key].until = now + max(_FRESH_SECONDS, _FRESH_FACTOR * (now - started))
        return answer

    def _holds(self, remembered: _Remembered) -> bool:
        return remembered.version is not None and remembered.version == store_version(self.path)

    @staticmethod
    def _is_old(remembered: _Remembered, now: float) -> bool:
        """Return whether an answer is too old even for requests that accept old answers."""
        return remembered.version is not None and remembered.until <= now - _FORGOTTEN_SECONDS

    def _forget(self, now: float) -> None:
        old = now - _FORGOTTEN_SECONDS
        for key, each in list(self._remembered.items()):
            if each.answer.done() and each.until <= old and each.version is None:
                del self._remembered[key]
        while len(self._remembered) >= _MAX_REMEMBERED:
            del self._remembered[next(iter(self._remembered))]

    async def _long_answer(self, question: Question[T]) -> T:
        return await self.in_thread(lambda: self._answered(question, _LONG_SECONDS))

    def _answered(self, question: Question[T], patience_seconds: float) -> T:
        with patient_reading(self.path, patience_seconds) as store:
            return question(store)


def _note_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


async def cancelled(task: asyncio.Task[object]) -> None:
    """Cancel a task and wait until it has ended."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
