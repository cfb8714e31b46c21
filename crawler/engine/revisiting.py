"""What a crawl that looks at its pages again takes from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from crawler.decisions.revisits import Revisits
from crawler.engine.restoring import Blank
from crawler.settings import RevisitSettings
from storage.link_store import LinkStore
from storage.values.history import StoredVersion

_BEFORE_NEW_PAGES: Final = 1e6
"""Added to the urgencies of pages that are looked at again: what is shown to users is to be true first."""


class VersionsInStore:
    """The stored versions of pages, as `Revisits` asks for them."""

    def __init__(self, store: LinkStore) -> None:
        self._store = store

    async def versions(self, pages: Sequence[int]) -> Mapping[int, StoredVersion]:
        return await self._store.ask(lambda stored: stored.history.versions(pages))

    async def text(self, page: int) -> bytes:
        return await self._store.ask(lambda stored: stored.history.packed_text(page))

    async def targets(self, page: int) -> frozenset[int]:
        return await self._store.ask(lambda stored: stored.history.targets(page))


async def look_once(store: LinkStore, blank: Blank, settings: RevisitSettings, now: float) -> Revisits:
    """Let all pages that were visited wait for another look: those that matter most first, by the ranks that are
    stored."""
    settled, ranks = await store.ask(lambda stored: stored.history.settled())
    pages = np.array(settled, np.int32)
    blank.frontier.add(pages, blank.known.hosts()[pages], np.array(ranks) + _BEFORE_NEW_PAGES, now)
    return Revisits(settings, VersionsInStore(store), pages.tolist())
