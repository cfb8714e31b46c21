"""The pages of a store that a login showed, for those who leave them out of what others get to see."""

from __future__ import annotations

from hinterland.crawler.features.credentials.login_table import TABLE
from hinterland.storage.extraction_tables import pages_with_records
from hinterland.storage.reading.reader import StoreReader


def login_pages(store: StoreReader) -> set[int]:
    """Return the numbers of the pages whose stored version a login showed."""
    return pages_with_records(store.connection, TABLE)
