"""The translations that pages name, and the pages of the store at the URLs of these translations. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hinterland.library.audit.audited_store import AuditedStore


class Translation(NamedTuple):
    """A translation that a page names: its language as written, its URL, and its page if the store knows the URL."""

    page: int
    language: str
    url: str
    target: int | None


def translations(store: AuditedStore) -> Iterator[Translation]:
    """Yield every translation that an indexable document names."""
    numbers = store.numbers_of([url for named in store.alternates.values() for _, url in named])
    for page, named in store.alternates.items():
        if store.is_indexable[page]:
            for language, url in named:
                yield Translation(page, language, url, numbers.get(url))
