"""The search behind the pages: an index that somebody else may be rebuilding."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Protocol, Unpack

from hinterland.search.answers import IndexedRank, SearchAnswer, SearchOptions
from hinterland.search.index_failures import NoIndex

if TYPE_CHECKING:
    from hinterland.search.index.index_folder import IndexFolder  # which brings the index itself

_LOOK_SECONDS = 1.0


class SearchService(Protocol):
    """What search.index.searcher.SearchIndex is to these pages."""

    def search(self, query: str, **asked: Unpack[SearchOptions]) -> SearchAnswer: ...

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]: ...

    def rank_of(self, page: int) -> IndexedRank | None: ...

    def main_content(self, page: int) -> str | None: ...

    def matched_words(self, query: str, page: int, text: str) -> Collection[str]: ...


class ReloadingIndex:
    """The index in a folder, opened anew when it was written anew. Thread-safe; raises NoIndex and QueryError."""

    def __init__(
        self,
        folder: IndexFolder,
        opened: Callable[[IndexFolder], SearchService],
        command: str,
        *,
        look_seconds: float = _LOOK_SECONDS,
    ) -> None:
        """opened: opens the index, or raises NoIndex. command: what makes one. look_seconds: how long it is not looked
        whether it is still the same.
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
        return self._current().search(query, **asked)

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        return self._current().suggest(typed, limit=limit)

    def rank_of(self, page: int) -> IndexedRank | None:
        return self._current().rank_of(page)

    def main_content(self, page: int) -> str | None:
        return self._current().main_content(page)

    def matched_words(self, query: str, page: int, text: str) -> Collection[str]:
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
        """Differs whenever the index was written anew: its manifest is renamed over the one before."""
        try:
            manifest = self._folder.manifest.stat()
        except OSError:
            return None
        return manifest.st_mtime_ns, manifest.st_ino, manifest.st_size
