"""Whether the bodies of further pages are kept: all of them, or as long as the store is small."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

_LOOKS_EVERY: Final = 16
"""Pages between two looks at how large the store is."""


class KeptBodies:
    """keeps_all: whatever the size. small_mb: the size up to which bodies are kept if that is not asked for; 0 keeps
    none. The size is that of the file and its log, so a store that is gone on with is judged as it stands.
    """

    def __init__(self, store: Path, *, keeps_all: bool, small_mb: int, told: Callable[[str], None] = lambda _: None):
        """told: is called once with a sentence when the store has become too large."""
        self.keeps_all = keeps_all
        self._files = (store, store.with_name(store.name + "-wal"))
        self._most_bytes = small_mb * 1_000_000
        self._is_small = small_mb > 0
        self._told = told
        self._asked = 0

    def are_kept(self) -> bool:
        """Whether the next body is."""
        if self.keeps_all or not self._is_small:
            return self.keeps_all
        if self._asked % _LOOKS_EVERY == 0 and self._size() >= self._most_bytes:
            self._is_small = False
            self._told(
                f"{self._files[0]} has reached {self._most_bytes // 1_000_000} MB (storage.keep_bodies_mb): bodies of"
                " further pages are not kept"
            )
        self._asked += 1
        return self._is_small

    def _size(self) -> int:
        return sum(file.stat().st_size for file in self._files if file.exists())
