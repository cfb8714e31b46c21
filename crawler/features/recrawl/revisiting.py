"""A request for revisits, and access to the stored versions of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.history import StoredVersion


@dataclass(frozen=True, slots=True)
class Revisiting:
    """How stored pages are revisited.

    `budget` is in visits per second; inf means that only the hosts limit the visits, None that each page is revisited
    once. With a budget, the crawl ends after `seconds`; if `seconds` is None, it runs until it is stopped. Without a
    budget, pages that were visited less than `older_than` seconds ago are skipped.
    """

    budget: float | None = None
    seconds: float | None = None
    older_than: float = 0.0


class VersionsInStore:
    """Reads stored versions of pages for `Revisits`."""

    def __init__(self, store: LinkStore) -> None:
        """Read from `store`."""
        self._store = store

    async def versions(self, pages: Sequence[int]) -> Mapping[int, StoredVersion]:
        """Return the stored versions by page; pages that the store does not know are left out."""
        return await self._store.ask(lambda stored: stored.history.versions(pages))

    async def text(self, page: int) -> bytes:
        """Return the visible text as a zstd frame; b"" if none is kept."""
        return await self._store.ask(lambda stored: stored.history.packed_text(page))

    async def targets(self, page: int) -> frozenset[int]:
        """Return the pages that the links of a page lead to."""
        return await self._store.ask(lambda stored: stored.history.targets(page))
