"""Makes digests in worker processes. A page that hangs or crashes its worker affects no other page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from hinterland.crawler.parsing.pool.reading_in_order import BATCH_SECONDS, PAGE_SECONDS, read_in_order
from hinterland.search.main_content import HostProfile, digest, digest_of_visible_text
from hinterland.search.near_duplicates import signature
from hinterland.search.store.values.documents import Digest, RawContent

Batch = tuple[list[RawContent], Mapping[int, HostProfile]]
Digester = Callable[[RawContent, HostProfile], Digest]
"""Makes the digest of one page; a module-level function, so that it can be pickled."""
_Page = tuple[RawContent, HostProfile]


def digests(
    batches: Iterable[Batch],
    *,
    digester: Digester = digest,
    batch_seconds: float = BATCH_SECONDS,
    page_seconds: float = PAGE_SECONDS,
    processes: int | None = None,
) -> Iterator[list[Digest]]:
    """Yield the digests of each batch, in order.

    A page that raises, takes too long or kills its process gets a digest of its visible text, marked "failed".
    `processes` defaults to one for each core. Raises ReadersUnusable.
    """
    _compile()  # here, where progress is shown; the workers load it from disk
    return read_in_order(
        ([(page, profiles.get(page.host, HostProfile())) for page in pages] for pages, profiles in batches),
        partial(_digest, digester),
        _failed,
        prepare=_compile,
        batch_seconds=batch_seconds,
        page_seconds=page_seconds,
        processes=processes,
    )


def _digest(digester: Digester, page: _Page) -> Digest:
    return digester(*page)


def _failed(page: _Page) -> Digest:
    return digest_of_visible_text(page[0])


def _compile() -> None:
    signature("")
