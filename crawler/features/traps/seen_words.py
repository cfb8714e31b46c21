"""Remembers the words that pages of one URL shape have used, to see whether another page has new words. Pure.

Facets, sort orders and random text produce pages that all differ but use the same words. The vocabulary of human text
grows as a power of its length (Heaps 1978); the vocabulary of a generator is finite.
"""

from __future__ import annotations

import numpy as np

_SLOTS = 1 << 18
_FULL = _SLOTS // 4


class SeenWords:
    """A set of hashed words in 256 KiB. Mutable.

    When the set is full, one new word in four is mistaken for a known word.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._is_known = np.zeros(_SLOTS, np.bool_)
        self._count = 0

    @property
    def is_full(self) -> bool:
        """Whether the set is full.

        A full set no longer shows which words are new. A vocabulary of this size is assumed to keep growing.
        """
        return self._count >= _FULL

    def add(self, words: bytes) -> int:
        """Add words, given as 32-bit hashes; return how many of them are new."""
        slots = np.frombuffer(words, np.uint32) & np.uint32(_SLOTS - 1)
        new = np.unique(slots[~self._is_known[slots]])
        self._is_known[new] = True
        self._count += len(new)
        return len(new)
