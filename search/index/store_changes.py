"""Tells how a store has changed since an index of it was built."""

from __future__ import annotations

from pathlib import Path

from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.store_mark import StoreMark, store_mark
from hinterland.storage.store_version import StoreVersion, store_version


class StoreChanges:
    """Compares a store with the mark that an index took of it when it was built. Thread-safe.

    The store is opened only if its file has changed since the last comparison.
    """

    def __init__(self, path: Path) -> None:
        """Take the path of the store without opening it."""
        self._path = path
        self._last: tuple[StoreVersion, StoreMark] | None = None

    def since(self, mark: StoreMark) -> str:
        """Return a sentence on how the store has changed since it had this mark; "" if unchanged or unreadable."""
        try:
            current = self._mark()
        except NoStore:
            return ""  # an index can be searched without its store
        if current.origin != mark.origin:
            return f"the index was built from a different crawl from the one in {self._path}"
        return "the crawl has continued since the index was built" if current.has_gone_on_since(mark) else ""

    def _mark(self) -> StoreMark:
        version, last = store_version(self._path), self._last
        if version is not None and last is not None and last[0] == version:
            return last[1]
        with reading(self._path) as store:
            mark = store_mark(store.connection)
        self._last = None if version is None else (version, mark)
        return mark
