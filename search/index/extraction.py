"""Makes digests in worker processes, on all cores. A page that hangs or crashes its worker affects no other page."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Final

from hinterland.search.index.reader_process import Batch, Digester, ReaderProcess
from hinterland.search.main_content import digest, digest_of_visible_text
from hinterland.search.near_duplicates import signature
from hinterland.search.store.values.documents import Digest

BATCH_SECONDS: Final = 120.0
PAGE_SECONDS: Final = 20.0


def digests(
    batches: Iterable[Batch],
    *,
    digester: Digester = digest,
    batch_seconds: float = BATCH_SECONDS,
    page_seconds: float = PAGE_SECONDS,
    processes: int | None = None,
) -> Iterator[list[Digest]]:
    """Yield the digests of each batch, in order.

    A batch that raises, takes too long or kills its process is repeated page by page. A page that fails alone gets a
    digest of its visible text, marked "failed". `processes` defaults to one for each core. Raises ReadersUnusable.
    """
    size = processes or os.cpu_count() or 1
    signature("")  # compile here, where progress is shown; the workers load it from disk
    readers = [ReaderProcess(digester) for _ in range(size)]
    idle = SimpleQueue[ReaderProcess]()
    for reader in readers:
        idle.put(reader)

    def read(batch: Batch) -> list[Digest]:
        reader = idle.get()
        try:
            return _read(reader, batch, batch_seconds, page_seconds)
        finally:
            idle.put(reader)

    threads = ThreadPoolExecutor(size)  # each waits for one process at a time
    try:
        waiting = deque[Future[list[Digest]]]()
        for batch in batches:
            waiting.append(threads.submit(read, batch))
            if len(waiting) > 2 * size:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # discard work in progress if the caller has stopped
        threads.shutdown(wait=False, cancel_futures=True)
        for reader in readers:
            reader.stop()
        threads.shutdown()


def _read(reader: ReaderProcess, batch: Batch, batch_seconds: float, page_seconds: float) -> list[Digest]:
    """Return the digests of a batch, page by page if the batch fails.

    Raises ReadersUnusable.
    """
    if (found := reader.read(batch, batch_seconds)) is not None:
        return found
    pages, profiles = batch
    digests_of_pages = []
    for page in pages:
        alone = reader.read(([page], profiles), page_seconds)
        digests_of_pages.append(digest_of_visible_text(page) if alone is None else alone[0])
    return digests_of_pages
