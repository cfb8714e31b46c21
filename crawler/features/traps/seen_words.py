"""The words that pages of one shape have used, to see whether a page brings any new one. Pure.

Facets, sort orders and random text make pages of which no two are the same, out of words that are: the vocabulary of
what people write grows as a power of its length (Heaps 1978), that of a generator ends.
"""

from __future__ import annotations

import numpy as np

_SLOTS = 1 << 18
_FULL = _SLOTS // 4


class SeenWords:
    """Mutable: a set of hashed words in 256 KiB; in a full one a word is taken for known in one case of four."""

    def __init__(self) -> None:
        self._is_known = np.zeros(_SLOTS, np.bool_)
        self._count = 0

    @property
    def is_full(self) -> bool:
        """Whether it says nothing any more: who has used so many words goes on to use new ones."""
        return self._count >= _FULL

    def add(self, words: bytes) -> int:
        """words: their 32-bit hashes. How many of them are new."""
        slots = np.frombuffer(words, np.uint32) & np.uint32(_SLOTS - 1)
        new = np.unique(slots[~self._is_known[slots]])
        self._is_known[new] = True
        self._count += len(new)
        return len(new)
