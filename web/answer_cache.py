"""Answers that take long to find: kept until there are newer ones, and shown meanwhile with the time that they are of.

Whoever asks for the first time is told what is being done and for how long. Once there is an answer nobody is sent away
any more: not while the store is written to, not after a failure, not because other questions were asked in between.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from hinterland.library.text.wording import duration
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.web.store_version import StoreVersion

T = TypeVar("T")
Tell = Callable[[str], None]
"""Called with each step before it begins, from any thread."""
LongQuestion = Callable[[StoreReader, Tell], T]
Answering = Callable[[Callable[[StoreReader], Any]], Awaitable[Any]]

_AT_ONCE: Final = 2
_SOON_SECONDS: Final = 0.5
_SETTLING_SECONDS: Final = 1.1
"""After that long without a write it can be told whether the store is written to again, see `store_version`."""
_REST_FACTOR: Final = 5.0
"""What is written to all the time is looked at again after a rest that is so many times as long as the look."""


class AnswerPending(Exception):
    """A question is still being answered; whoever asks again later may find it answered."""


@dataclass(frozen=True, slots=True)
class CachedAnswer(Generic[T]):
    """found_at: epoch seconds; is_current: the store has not been written to since the question was asked."""

    answer: T
    found_at: float
    is_current: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    answer: Any
    found_at: float
    version: StoreVersion | None
    again_at: float


@dataclass(slots=True)
class _Work:
    """Mutable: how far it is."""

    began: float
    task: asyncio.Task[None]
    steps: int = 0
    step: str = ""

    def tell(self, step: str) -> None:
        self.steps += 1
        self.step = step

    def so_far(self, now: float) -> str:
        """How long it has taken, and what it is at."""
        what = f", now at step {self.steps}, {self.step}" if self.steps else ""
        return f"{duration(now - self.began)} so far{what}"


class AnswerCache:
    """Mutable: the answers, and the work under way. One event loop uses it."""

    def __init__(
        self,
        answering: Answering,
        version: Callable[[], StoreVersion | None],
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """answering: asks the store in another thread. version: of the store, None if it cannot be told."""
        self._answering = answering
        self._version = version
        self._clock = clock
        self._now = now
        self._found: dict[Hashable, _Entry] = {}
        self._work: dict[Hashable, _Work] = {}
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, key: Hashable, question: LongQuestion[T], *, what: str, within: float) -> CachedAnswer[T]:
        """Raises AnswerPending if no answer comes within `within` seconds. `what`: the subject of that
        message, such as "The structure of the graph". Raises NoStore if there is no store any more.
        """
        found = self._found.get(key)
        if found is not None and found.version is not None and found.version == self._version():
            return CachedAnswer(found.answer, found.found_at, True)
        work = self._work.get(key)
        if work is None and (found is None or self._clock() >= found.again_at):
            work = self._begin(key, question)
        if work is not None:
            done, _ = await asyncio.wait((work.task,), timeout=within if found is None else min(within, _SOON_SECONDS))
            if done and not work.task.cancelled():
                failure = work.task.exception()
                if failure is None:
                    newest = self._found[key]
                    return CachedAnswer(newest.answer, newest.found_at, True)
                if found is None or isinstance(failure, NoStore):
                    raise failure
        if found is None:
            so_far = "" if work is None else f": {work.so_far(self._clock())}"
            raise AnswerPending(f"{what} is being worked out for the first time since this server was started{so_far}")
        return CachedAnswer(found.answer, found.found_at, False)

    async def close(self) -> None:
        tasks = [each.task for each in self._work.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, key: Hashable, question: LongQuestion[Any]) -> _Work:
        task = asyncio.ensure_future(self._find(key, question))
        work = _Work(self._clock(), task)
        task.add_done_callback(_note_failure)  # whoever asked may have gone
        self._work[key] = work
        return work

    async def _find(self, key: Hashable, question: LongQuestion[Any]) -> None:
        began = self._clock()
        try:
            async with self._places:
                if self._version() is None:
                    await asyncio.sleep(_SETTLING_SECONDS)
                version, found_at = self._version(), self._now()
                tell = self._work[key].tell
                answer = await self._answering(lambda store: question(store, tell))
                again_at = self._clock() + _REST_FACTOR * (self._clock() - began)
                self._found[key] = _Entry(answer, found_at, version, again_at)
        finally:
            del self._work[key]


def _note_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()
