"""A cache for answers that take long to compute.

Until the first answer is ready, requests get a message that says what is being computed, and for how long already. From
then on, every request gets an answer at once: the cached answer, with its time, until a newer one is ready. This also
holds while the store is written to, and if computing a newer answer fails.
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
from hinterland.storage.store_version import StoreVersion

T = TypeVar("T")
Tell = Callable[[str], None]
"""Called with each step before it begins, from any thread."""
LongQuestion = Callable[[StoreReader, Tell], T]
Answering = Callable[[Callable[[StoreReader], Any]], Awaitable[Any]]

_AT_ONCE: Final = 2
_SOON_SECONDS: Final = 0.5
_SETTLING_SECONDS: Final = 1.1
"""How long after a write to the store a further write can be detected at the earliest; see `store_version`."""
_REST_FACTOR: Final = 5.0
"""While the store keeps being written to, an answer is recomputed after this many times the duration of its
computation."""


class AnswerPending(Exception):
    """The answer is still being computed; a later request may find it ready."""


@dataclass(frozen=True, slots=True)
class CachedAnswer(Generic[T]):
    """A cached answer.

    `found_at` is when it was computed, in epoch seconds. `is_current` tells whether the store has stayed unchanged
    since then.
    """

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
    """A computation in progress. Mutable."""

    began: float
    task: asyncio.Task[None]
    steps: int = 0
    step: str = ""

    def tell(self, step: str) -> None:
        """Record that the step called `step` begins."""
        self.steps += 1
        self.step = step

    def so_far(self, now: float) -> str:
        """Return a text that says how long the computation has taken, and what its current step is."""
        what = f", now at step {self.steps}, {self.step}" if self.steps else ""
        return f"{duration(now - self.began)} so far{what}"


class AnswerCache:
    """The cached answers of one store. Mutable: the answers, and the computations in progress.

    Use it in one event loop only.
    """

    def __init__(
        self,
        answering: Answering,
        version: Callable[[], StoreVersion | None],
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Start empty.

        `answering` runs a query of the store in another thread. `version` returns the version of the store, or None if
        it is unknown.
        """
        self._answering = answering
        self._version = version
        self._clock = clock
        self._now = now
        self._found: dict[Hashable, _Entry] = {}
        self._work: dict[Hashable, _Work] = {}
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def ask(self, key: Hashable, question: LongQuestion[T], *, what: str, within: float) -> CachedAnswer[T]:
        """Return the answer to a question, cached under `key`.

        Raises AnswerPending if no answer is ready within `within` seconds. `what` is the subject of its message, such
        as "The structure of the graph". Raises NoStore if the store is gone.
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
            raise AnswerPending(f"{what} is being computed for the first time since this server started{so_far}")
        return CachedAnswer(found.answer, found.found_at, False)

    async def close(self) -> None:
        """Cancel all work in progress."""
        tasks = [each.task for each in self._work.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, key: Hashable, question: LongQuestion[Any]) -> _Work:
        task = asyncio.ensure_future(self._find(key, question))
        work = _Work(self._clock(), task)
        task.add_done_callback(_note_failure)  # the client may have gone
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
