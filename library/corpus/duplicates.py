"""Finds pages of a store that are copies of others: with the same body or, by the index, with similar text."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Final

from hinterland.distribution.extras import is_installed
from hinterland.storage.exports.source import PageRow
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.sorted_links.entries import body_key
from hinterland.storage.sorted_links.reading import all_bodies

_FIRST: Final = """
SELECT page.url FROM json_each(?) AS each CROSS JOIN fetch ON fetch.page = each.value JOIN page ON page.id = fetch.page
WHERE fetch.body_hash = ? AND fetch.outcome = 'fetched' ORDER BY fetch.page LIMIT 1
"""


class Duplicates:
    """The copies in a store. They take 16 bytes of memory per page, and 200 bytes per near-duplicate.

    Near-duplicates are known if there is an index beside the store.
    """

    def __init__(self, store: StoreReader) -> None:
        """Read the near-duplicates from the store's index, if there is one."""
        self._connection = store.connection
        self._bodies = all_bodies(store.connection)
        self._originals: dict[str, str] = _near_duplicates(store) if is_installed("search") else {}

    def original_of(self, page: PageRow) -> str | None:
        """Return the URL of the document of which a page is a copy; None if the page is not known to be a copy."""
        if found := self._originals.get(page.url):
            return found
        if not page.body_hash:
            return None
        body_hash = bytes.fromhex(page.body_hash)
        pages = json.dumps(self._bodies.values_of(body_key(body_hash)).tolist())
        first = self._connection.execute(_FIRST, (pages, body_hash)).fetchone()
        return None if first is None or first[0] == page.url else str(first[0])


def _near_duplicates(store: StoreReader) -> dict[str, str]:
    from hinterland.search.index.index_location import index_of
    from hinterland.search.index_failures import NoIndex
    from hinterland.search.store.document_store import DocumentsUnreadable, document_store

    with suppress(NoIndex, NoStore, DocumentsUnreadable, OSError):
        folder = index_of(store.path)
        if folder.documents.exists():
            with document_store(folder.documents) as documents:
                return dict(documents.folded())
    return {}
