"""Makes the digests of new and changed pages, host by host."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, chunks, gathered, places_where
from hinterland.analysis.ordering import in_order
from hinterland.search.index.extraction import Batch, digests
from hinterland.search.main_content import EXTRACTOR, HostProfile, host_profile
from hinterland.search.store.document_store import DocumentStore
from hinterland.search.store.values.arrays import LongArray
from hinterland.search.store.values.documents import IndexablePages

Progress = Callable[[str, int, int], None]
"""Called with the name of the current step, the amount done and the total."""

_BATCH: Final = 64
_SAMPLE: Final = 200


def make_digests(store: DocumentStore, indexable: IndexablePages, zeros: Allocator, progress: Progress) -> None:
    """Make missing and outdated digests, and delete the digests of pages that are gone."""
    store.forget_other_digests(indexable.pages)
    wanted = places_where(
        len(indexable.pages),
        lambda part: store.digest_keys(indexable.pages[part]) != indexable.digest_keys[part],
        zeros,
    )
    hosts: NDArray[np.uint32] = zeros(len(wanted), np.uint32)
    for part in chunks(len(wanted)):
        hosts[part] = indexable.hosts[wanted[part]]
    pages = gathered(indexable.pages, gathered(wanted, in_order(hosts, zeros), zeros), zeros)
    done = 0
    progress("main content", 0, len(pages))
    processes = min(os.cpu_count() or 1, -(-len(pages) // _BATCH))
    for batch in digests(_batches(store, pages, _Samples(indexable, zeros)), processes=processes):
        store.write_digests(batch)
        done += len(batch)
        progress("main content", done, len(pages))


def _batches(store: DocumentStore, pages: LongArray, samples: _Samples) -> Iterator[Batch]:
    """Yield batches of pages with the profiles of their hosts.

    `pages` is ordered by host, so that only the profiles of a batch's hosts are held.
    """
    profiles: dict[int, HostProfile] = {}
    for start in range(0, len(pages), _BATCH):
        batch = store.crawled.contents(pages[start : start + _BATCH].tolist(), EXTRACTOR)
        profiles = {raw.host: profiles[raw.host] for raw in batch if raw.host in profiles}
        for raw in batch:
            if raw.host not in profiles:
                profiles[raw.host] = host_profile(store.crawled.visible_texts(samples.of_host(raw.host)))
        yield batch, profiles


class _Samples:
    """A fixed sample of the pages of each host."""

    def __init__(self, indexable: IndexablePages, zeros: Allocator) -> None:
        """Order the pages of each host by a hash; the first pages in this order are the sample."""
        keys: NDArray[np.uint64] = zeros(len(indexable.pages), np.uint64)
        for part in chunks(len(keys)):
            scattered = indexable.pages[part] * 2654435761 % (1 << 32)
            keys[part] = indexable.hosts[part].astype(np.uint64) << np.uint64(32) | scattered.astype(np.uint64)
        order = in_order(keys, zeros)
        self._hosts = gathered(indexable.hosts, order, zeros)
        self._pages = gathered(indexable.pages, order, zeros)

    def of_host(self, host: int) -> list[int]:
        """Return the sampled pages of a host, at most `_SAMPLE`."""
        begin, end = np.searchsorted(self._hosts, np.array([host, host + 1], np.int32))
        pages: list[int] = self._pages[begin : min(end, begin + _SAMPLE)].tolist()
        return pages
