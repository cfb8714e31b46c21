"""The search behind the pages: an index that somebody else may be rebuilding."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from crawler.search.answers import SearchAnswer

_LOOK_SECONDS = 1.0


class NoIndex(Exception):
    """There is no index that can be searched; the message says why and what to do."""


class Searches(Protocol):
    """What crawler.search.searcher.SearchIndex is to these pages."""

    def search(self, query: str, *, limit: int = 10, offset: int = 0, explain: bool = False) -> SearchAnswer: ...


class ReopenedIndex:
    """The index in a directory, opened anew when it was rebuilt. Thread-safe; raises NoIndex and QueryError."""

    def __init__(self, directory: Path, opened: Callable[[Path], Searches], command: str) -> None:
        """opened: opens the index; whatever it raises is told. command: what makes one."""
        self.directory = directory
        self._opened = opened
        self._command = command
        self._lock = threading.Lock()
        self._index: Searches | None = None
        self._mark: object = None
        self._looked_at = -1.0

    def search(self, query: str, *, limit: int = 10, offset: int = 0, explain: bool = False) -> SearchAnswer:
        return self._current().search(query, limit=limit, offset=offset, explain=explain)

    def _current(self) -> Searches:
        with self._lock:
            now = time.monotonic()
            if self._index is not None and now - self._looked_at < _LOOK_SECONDS:
                return self._index
            mark = self._mark_of_files()
            if mark is None:
                self._index = None
                raise NoIndex(f"There is no search index at {self.directory} yet. Make one: {self._command}")
            if self._index is None or mark != self._mark:
                try:
                    self._index = self._opened(self.directory)
                except Exception as error:  # whatever a library finds wrong with files that may be half-written
                    self._index = None
                    raise NoIndex(
                        f"The search index at {self.directory} cannot be opened: {error}. Make it anew: {self._command}"
                    ) from error
                self._mark = mark
            self._looked_at = now
            return self._index

    def _mark_of_files(self) -> object:
        """Differs after each commit to the index: it renames a new list of its segments over the old one."""
        try:
            of_list = (self.directory / "meta.json").stat()
        except OSError:
            return None
        return of_list.st_mtime_ns, of_list.st_ino, of_list.st_size
