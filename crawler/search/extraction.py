"""Digests made in processes of their own: they use all cores, and a page that hangs or crashes costs only itself."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Final

from pebble import ProcessExpired, ProcessPool

from crawler.search.main_content import HostProfile, digest, digest_of_visible_text
from storage.document_records import Digest, RawContent

BATCH_SECONDS: Final = 120.0
PAGE_SECONDS: Final = 20.0

Batch = tuple[list[RawContent], Mapping[int, HostProfile]]


def digests(
    batches: Iterable[Batch], *, batch_seconds: float = BATCH_SECONDS, page_seconds: float = PAGE_SECONDS
) -> Iterator[list[Digest]]:
    """The digests of batch after batch, in order.

    A batch whose process dies or takes too long is done again page by page; of the page at fault the visible text
    is used, and its digest says "failed".
    """
    size = os.cpu_count() or 1
    # Not forked: the parent may have threads, which a fork does not carry over in a state to rely on.
    with ProcessPool(size, context=multiprocessing.get_context("spawn")) as pool:
        try:
            waiting = deque[tuple[Batch, Future[list[Digest]]]]()
            for batch in batches:
                waiting.append((batch, pool.schedule(_digest_all, batch, timeout=batch_seconds)))
                if len(waiting) > 2 * size:
                    yield _result(pool, *waiting.popleft(), page_seconds)
            while waiting:
                yield _result(pool, *waiting.popleft(), page_seconds)
        finally:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble; what is under way is not wanted if nobody waits for it


def _result(pool: ProcessPool, batch: Batch, future: Future[list[Digest]], page_seconds: float) -> list[Digest]:
    try:
        return future.result()
    except (ProcessExpired, TimeoutError):
        return [_alone(pool, page, batch[1], page_seconds) for page in batch[0]]


def _alone(pool: ProcessPool, page: RawContent, profiles: Mapping[int, HostProfile], seconds: float) -> Digest:
    future = pool.schedule(_digest_all, ([page], profiles), timeout=seconds)
    try:
        return next(iter(future.result()))
    except (ProcessExpired, TimeoutError):
        return digest_of_visible_text(page)


def _digest_all(pages: list[RawContent], profiles: Mapping[int, HostProfile]) -> list[Digest]:
    return [digest(page, profiles.get(page.host, HostProfile())) for page in pages]
