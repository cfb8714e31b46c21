"""Digests made in processes of their own: they use all cores, and a page that hangs or crashes costs only itself."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Final

from pebble import ProcessPool

from analysis.near_duplicates import signature
from crawler.search.main_content import HostProfile, digest, digest_of_visible_text
from storage.document_records import Digest, RawContent

BATCH_SECONDS: Final = 120.0
PAGE_SECONDS: Final = 20.0

Batch = tuple[list[RawContent], Mapping[int, HostProfile]]
Digester = Callable[[RawContent, HostProfile], Digest]
"""How one page is read; a function of a module, so that another process can find it."""


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
    visible text is used, and its digest says "failed". processes: None: one for each core.
    """
    size = processes or os.cpu_count() or 1
    # Not forked: the parent may have threads, which a fork does not carry over in a state to rely on.
    with ProcessPool(size, context=multiprocessing.get_context("spawn"), initializer=_start) as pool:
        reader = _Reader(pool, digester, page_seconds)
        try:
            waiting = deque[tuple[Batch, Future[list[Digest]]]]()
            for batch in batches:
                waiting.append((batch, reader.schedule(batch, batch_seconds)))
                if len(waiting) > 2 * size:
                    yield reader.result(*waiting.popleft())
            while waiting:
                yield reader.result(*waiting.popleft())
        finally:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble; what is under way is not wanted if nobody waits for it


class _Reader:
    """Reads batches in a pool, and the pages of a batch that failed one by one."""

    def __init__(self, pool: ProcessPool, digester: Digester, page_seconds: float) -> None:
        self._pool = pool
        self._digester = digester
        self._page_seconds = page_seconds

    def schedule(self, batch: Batch, seconds: float) -> Future[list[Digest]]:
        return self._pool.schedule(_digest_all, (*batch, self._digester), timeout=seconds)

    def result(self, batch: Batch, future: Future[list[Digest]]) -> list[Digest]:
        pages, profiles = batch
        if (found := _outcome(future)) is not None:
            return found
        return [self._alone(page, profiles) for page in pages]

    def _alone(self, page: RawContent, profiles: Mapping[int, HostProfile]) -> Digest:
        found = _outcome(self.schedule(([page], profiles), self._page_seconds))
        return digest_of_visible_text(page) if found is None else found[0]


def _outcome(future: Future[list[Digest]]) -> list[Digest] | None:
    """None if it failed, in whatever way: what a page from the web can bring a parser to is not known beforehand."""
    return None if isinstance(future.exception(), Exception) else future.result()


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
