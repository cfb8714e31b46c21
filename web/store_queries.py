"""Where questions to the store are asked: in threads, each with a connection of its own, and never for long.

Each question opens the file anew. So a store that was replaced is seen at once, a reader never holds up the writer,
and one that is missing or damaged is an answer (NoStore) instead of a state.
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

from hinterland.library.text.wording import duration
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.web.answer_cache import AnswerCache, AnswerPending
from hinterland.web.store_version import StoreVersion, store_version

T = TypeVar("T")
Question = Callable[[StoreReader], T]

_THREADS = 4
_MAX_PENDING = 64
_MAX_REMEMBERED = 256
_LONG_SECONDS = 600.0
"""How long a question may take whose answer is kept: those who ask do not wait for it."""
_FORGOTTEN_SECONDS = 60.0
"""What is no longer fresh is kept so long for those who would rather have it than wait."""
_FRESH_SECONDS = 1.0
_FRESH_FACTOR = 5.0
"""What took long to find out stays good for so many times as long: the store is read at most a fifth of the time."""


class Overloaded(Exception):
    """Too many questions wait already."""


class TookTooLong(Exception):
    """A question was broken off."""


@dataclass(slots=True)
class _Remembered:
    until: float
    answer: asyncio.Task[Any]
    before: asyncio.Task[Any] | None = None
    """The answer that it is to replace."""
    version: StoreVersion | None = None
    """The answer holds as long as the store has this one; None: nobody knows how long."""
    began: float = 0.0


class StoreQueries:
    """Mutable: the threads, and the answers that are still fresh. One event loop uses it. kept: for what takes long."""

    def __init__(self, path: Path, *, patience_seconds: float = 10.0) -> None:
        self.path = path
        self._patience_seconds = patience_seconds
        self._threads = ThreadPoolExecutor(_THREADS, "serve")
        self._pending = 0
        self._remembered: dict[Hashable, _Remembered] = {}
        self.kept = AnswerCache(self._long_answer, lambda: store_version(path))

    async def ask(self, question: Question[T]) -> T:
        """Raises NoStore, TookTooLong or Overloaded."""
        return await self.in_thread(lambda: self._answered(question, self._patience_seconds))

    async def ask_seldom(
        self, key: Hashable, question: Question[T], *, within: float | None = None, of_rows_alone: bool = False
    ) -> T:
        """Like `ask`, for what takes long: whoever asks the same within a second or so gets the same answer, and
        those who ask at the same time wait for one answer together.

        within: seconds to wait at most. Then comes the answer before, if it is still known, or else AnswerPending is
        raised; the question goes on being answered. of_rows_alone: the answer depends on nothing but what is in the
        store, not on the time or on who writes it: it stays the answer until somebody writes to the store.
        """
        now = time.monotonic()
        remembered = self._remembered.get(key)
        if remembered is None or (remembered.answer.done() and remembered.until <= now and not self._holds(remembered)):
            before = None if remembered is None or self._is_old(remembered, now) else remembered.answer
            version = store_version(self.path) if of_rows_alone else None
            remembered = _Remembered(0.0, asyncio.ensure_future(self._timed(key, question)), before, version, now)
            remembered.answer.add_done_callback(_note_failure)  # whoever asked may have gone
            self._forget(now)
            self._remembered[key] = remembered
        done, _ = await asyncio.wait((remembered.answer,), timeout=within)
        if not done and remembered.before is None:
            so_far = duration(time.monotonic() - remembered.began)
            raise AnswerPending(f"that is still being counted, {so_far} so far; try again in a moment")
        answer: T = (remembered.answer if done or remembered.before is None else remembered.before).result()
        return answer

    async def in_thread(self, work: Callable[[], T]) -> T:
        if self._pending >= _MAX_PENDING:
            raise Overloaded("too many questions wait for an answer; try again in a moment")
        self._pending += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._pending -= 1

    async def close(self) -> None:
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
        """Too old for those who would rather have it than wait."""
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
        deadline = time.monotonic() + patience_seconds
        try:
            with reading(self.path) as store:
                store.connection.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
                return question(store)
        except NoStore:
            if time.monotonic() > deadline:
                raise TookTooLong(f"that took longer than {patience_seconds:g} s") from None
            raise


def _note_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


async def cancelled(task: asyncio.Task[object]) -> None:
    """Cancel a task and wait for its end."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
