"""Reads stored pages in worker processes, on all cores. A page that hangs or crashes its worker affects only itself."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final

from hinterland.crawler.parsing.pool.reader_process import Page, Read, ReaderProcess, nothing

BATCH_SECONDS: Final = 120.0
PAGE_SECONDS: Final = 20.0


def read_in_order(
    batches: Iterable[Sequence[Page]],
    reader: Callable[[Page], Read],
    failed: Callable[[Page], Read],
    *,
    prepare: Callable[[], object] = nothing,
    batch_seconds: float = BATCH_SECONDS,
    page_seconds: float = PAGE_SECONDS,
    processes: int | None = None,
) -> Iterator[list[Read]]:
    """Yield what was read from the pages of each batch, in order.

    A batch that raises, takes too long or kills its process is repeated page by page. For a page that fails alone,
    `failed` is called in this process instead. `reader` and `prepare` are as in ReaderProcess. `processes` defaults to
    one for each core. Raises ReadersUnusable.
    """
    size = processes or os.cpu_count() or 1
    readers = [ReaderProcess(reader, prepare) for _ in range(size)]
    idle = SimpleQueue[ReaderProcess[Page, Read]]()
    for each in readers:
        idle.put(each)

    def read(batch: Sequence[Page]) -> list[Read]:
        process = idle.get()
        try:
            if (found := process.read(batch, batch_seconds)) is not None:
                return found
            pages = []
            for page in batch:
                alone = process.read([page], page_seconds)
                pages.append(failed(page) if alone is None else alone[0])
            return pages
        finally:
            idle.put(process)

    threads = ThreadPoolExecutor(size)  # each waits for one process at a time
    try:
        waiting = deque[Future[list[Read]]]()
        for batch in batches:
            waiting.append(threads.submit(read, batch))
            if len(waiting) > 2 * size:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # discard work in progress if the caller has stopped
        threads.shutdown(wait=False, cancel_futures=True)
        for each in readers:
            each.stop()
        threads.shutdown()
