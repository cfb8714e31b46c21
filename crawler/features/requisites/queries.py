"""Queries about the requisites of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hinterland.crawler.features.requisites.tables import StoredRequisite
from hinterland.storage.reading.reader import StoreReader

_BEFORE: Final = "SELECT number FROM requisite WHERE fetched_at < ?"


def known_requisites(store: StoreReader) -> Iterator[tuple[str, int]]:
    """Yield the URL and the first page of every requisite, in the order of their numbers."""
    yield from store.connection.execute("SELECT url, page FROM requisite ORDER BY number")


def requisites_before(store: StoreReader, at: float) -> Iterator[int]:
    """Yield the numbers of the requisites that were last fetched before `at`, in epoch seconds."""
    yield from (number for (number,) in store.connection.execute(_BEFORE, (at,)))


def waiting_requisites(store: StoreReader) -> Iterator[StoredRequisite]:
    """Yield the requisites that wait to be fetched, in the order of their numbers."""
    sql = "SELECT number, url, kind, page, depth FROM requisite WHERE outcome IS NULL ORDER BY number"
    yield from map(StoredRequisite._make, store.connection.execute(sql))
