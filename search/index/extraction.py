"""Digests made in processes of their own: they use all cores, and a page that hangs or crashes costs only itself."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Final

from pebble import ProcessPool

from hinterland.search.main_content import HostProfile, digest, digest_of_visible_text
from hinterland.search.near_duplicates import signature
from hinterland.search.store.values.documents import Digest, RawContent

BATCH_SECONDS: Final = 120.0
PAGE_SECONDS: Final = 20.0
_LOOK_SECONDS: Final = 0.5
"""A pool that ends does not tell those whose pages it had not yet taken up."""
_MOST_POOLS: Final = 4

Batch = tuple[list[RawContent], Mapping[int, HostProfile]]
Digester = Callable[[RawContent, HostProfile], Digest]
"""How one page is read; a function of a module, so that another process can find it."""


class ReadersUnusable(Exception):
    """Processes die again and again before they have read a page: no page is to blame, and none will fare better."""


def digests(
    batches: Iterable[Batch],
    *,
    digester: Digester = digest,
    batch_seconds: float = BATCH_SECONDS,
    page_seconds: float = PAGE_SECONDS,
    processes: int | None = None,
) -> Iterator[list[Digest]]:
    """The digests of batch after batch, in order.

    A batch that raises, takes too long or whose process dies is done again page by page; of the page at fault the
    visible text is used, and its digest says "failed". processes: None: one for each core. Raises ReadersUnusable.
    """
    size = processes or os.cpu_count() or 1
    signature("")  # compiled here, where it can be said, and read from disk by the others
    with _Readers(size, digester) as readers:
        waiting = deque[tuple[Batch, Reading]]()
        for batch in batches:
            waiting.append((batch, readers.begin(batch, batch_seconds)))
            if len(waiting) > 2 * size:
                yield readers.result(*waiting.popleft(), page_seconds)
        while waiting:
            yield readers.result(*waiting.popleft(), page_seconds)


@dataclass(frozen=True, slots=True)
class Reading:
    """A batch that was handed to a pool. seconds: it may take."""

    pool: ProcessPool
    future: Future[list[Digest]]
    seconds: float


class _Readers:
    """Reads batches in a pool of processes, and the pages of a batch that failed one by one.

    A process that is killed while it has nothing to read takes the whole pool with it: another takes its place, and
    what waited in the old one is read again, without blame.
    """

    def __init__(self, size: int, digester: Digester) -> None:
        self._size = size
        self._digester = digester
        self._pool = self._opened()

    def __enter__(self) -> _Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def begin(self, batch: Batch, seconds: float) -> Reading:
        try:
            future = self._schedule(batch, seconds)
        except RuntimeError:  # the pool has ended
            self._close()
            self._pool = self._opened()
            future = self._schedule(batch, seconds)
        return Reading(self._pool, future, seconds)

    def result(self, batch: Batch, reading: Reading, page_seconds: float) -> list[Digest]:
        """Raises ReadersUnusable."""
        if (found := self._outcome(batch, reading)) is not None:
            return found
        pages, profiles = batch
        return [self._alone(page, profiles, page_seconds) for page in pages]

    def _alone(self, page: RawContent, profiles: Mapping[int, HostProfile], seconds: float) -> Digest:
        alone = [page], profiles
        found = self._outcome(alone, self.begin(alone, seconds))
        return digest_of_visible_text(page) if found is None else found[0]

    def _outcome(self, batch: Batch, reading: Reading) -> list[Digest] | None:
        """None if it failed, in whatever way: nobody knows beforehand what a page can bring a parser to."""
        for _ in range(_MOST_POOLS):
            while not reading.future.done() and reading.pool.active:
                wait([reading.future], timeout=_LOOK_SECONDS)
            if reading.future.done():
                failure = reading.future.exception()
                if not isinstance(failure, BrokenProcessPool):
                    return None if isinstance(failure, Exception) else reading.future.result()
            reading = self.begin(batch, reading.seconds)
        raise ReadersUnusable(f"the processes that read pages died {_MOST_POOLS} times before they had read one")

    def _schedule(self, batch: Batch, seconds: float) -> Future[list[Digest]]:
        return self._pool.schedule(_digest_all, (*batch, self._digester), timeout=seconds)

    def _opened(self) -> ProcessPool:
        # Not forked: the parent may have threads, which a fork does not carry over in a state to rely on.
        return ProcessPool(self._size, context=multiprocessing.get_context("spawn"), initializer=_start)

    def _close(self) -> None:
        # What is under way is not wanted if nobody waits for it.
        self._pool.stop()
        self._pool.join()


def _start() -> None:
    """Import and compile what reading needs, so that no page's time is spent on that; and end with the builder."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signature("")


def _end_with_parent() -> None:
    """A builder that is killed stops no process of its pool, and one that reads a page looks at nothing else."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _digest_all(pages: list[RawContent], profiles: Mapping[int, HostProfile], digester: Digester) -> list[Digest]:
    return [digester(page, profiles.get(page.host, HostProfile())) for page in pages]
