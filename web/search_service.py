"""The search that the pages of the site use. Another process may rebuild its index at any time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Protocol, Unpack

from hinterland.search.answers import IndexedRank, SearchAnswer, SearchOptions
from hinterland.search.index_failures import NoIndex

if TYPE_CHECKING:
    from hinterland.search.index.index_folder import IndexFolder  # imports the whole index

_LOOK_SECONDS = 1.0


class SearchService(Protocol):
    """The methods of `search.index.searcher.SearchIndex` that the pages of the site use."""

    def search(self, query: str, **asked: Unpack[SearchOptions]) -> SearchAnswer:
        """Return the best pages for a query."""

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        """Return completions of the text `typed` so far."""

    def rank_of(self, page: int) -> IndexedRank | None:
        """Return the rank of a page, None if it has none."""

    def main_content(self, page: int) -> str | None:
        """Return the main content of a page, None if it is not a document."""

    def matched_words(self, query: str, page: int, text: str) -> Collection[str]:
        """Return the words of a text that match the query."""


class ReloadingIndex:
    """A search index that is reopened after each rebuild. Thread-safe.

    All methods raise NoIndex; methods that take a query also raise QueryError.
    """

    def __init__(
        self,
        folder: IndexFolder,
        opened: Callable[[IndexFolder], SearchService],
        command: str,
        *,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        """Start without opening the index.

        `opened` opens the index or raises NoIndex. `command` is the command that builds the index. Changes are noticed
        after at most `look_seconds`.
        """
        self._look_seconds = look_seconds
        self._folder = folder
        self._opened = opened
        self._command = command
        self._lock = threading.Lock()
        self._index: SearchService | None = None
        self._mark: object = None
        self._looked_at = -1.0

    def search(self, query: str, **asked: Unpack[SearchOptions]) -> SearchAnswer:
        """Search the current index."""
        return self._current().search(query, **asked)

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        """Return completions from the current index."""
        return self._current().suggest(typed, limit=limit)

    def rank_of(self, page: int) -> IndexedRank | None:
        """Return the rank of a page in the current index."""
        return self._current().rank_of(page)

    def main_content(self, page: int) -> str | None:
        """Return the main content of a page from the current index."""
        return self._current().main_content(page)

    def matched_words(self, query: str, page: int, text: str) -> Collection[str]:
        """Return the words of a text that match the query, according to the current index."""
        return self._current().matched_words(query, page, text)

    def _current(self) -> SearchService:
        with self._lock:
            now = time.monotonic()
            if self._index is not None and now - self._looked_at < self._look_seconds:
                return self._index
            mark = self._mark_of_manifest()
            if self._index is None or mark != self._mark:
                self._index = None
                try:
                    self._index = self._opened(self._folder)
                except NoIndex as error:
                    raise NoIndex(f"{error}. The command is: {self._command}") from error
                self._mark = mark
            self._looked_at = now
            return self._index

    def _mark_of_manifest(self) -> object:
        """Return a value that changes whenever the index is rebuilt.

        It is taken from the file of the manifest, which every rebuild replaces.
        """
        try:
            manifest = self._folder.manifest.stat()
        except OSError:
            return None
        return manifest.st_mtime_ns, manifest.st_ino, manifest.st_size
