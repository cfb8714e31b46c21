"""Decides whether the bodies of further pages are stored: always, or only while the store is small."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

_LOOKS_EVERY: Final = 16
"""The size of the store is checked once in this many pages."""


class KeptBodies:
    """Decides for each page whether its body is stored. Mutable.

    The size of the store is the size of its file and its log, so a resumed crawl starts from the current size.
    """

    def __init__(
        self, store: Path, *, keeps_all: bool, small_mb: int, on_limit: Callable[[str], None] = lambda _: None
    ):
        """Take the limits.

        `keeps_all` stores every body. Otherwise bodies are stored while the store is below `small_mb`; 0 stores none.
        `on_limit` is called once, with a sentence, when the store reaches that size.
        """
        self.keeps_all = keeps_all
        self._files = (store, store.with_name(store.name + "-wal"))
        self._most_bytes = small_mb * 1_000_000
        self._is_small = small_mb > 0
        self._on_limit = on_limit
        self._asked = 0

    def are_kept(self) -> bool:
        """Return whether the next body is to be stored."""
        if self.keeps_all or not self._is_small:
            return self.keeps_all
        if self._asked % _LOOKS_EVERY == 0 and self._size() >= self._most_bytes:
            self._is_small = False
            self._on_limit(
                f"{self._files[0]} has reached {self._most_bytes // 1_000_000} MB (storage.keep_bodies_mb): the"
                " bodies of further pages are not stored"
            )
        self._asked += 1
        return self._is_small

    def _size(self) -> int:
        return sum(map(_bytes_of, self._files))


def _bytes_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
