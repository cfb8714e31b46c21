"""Remembers the contents that a crawl has seen on each host, in 4 bytes a slot. Pure.

The set is a hash table with open addressing and 32-bit keys in one flat array. With n contents stored, the probability
that a new content is mistaken for a stored one is n/2³², which is 0.02 % for a million. A single error does no harm,
since a shape is slowed down only after many pages without new content.
"""

from __future__ import annotations

from array import array

_FULL = 0.6
_MIX = 0x9E3779B97F4A7C15
_64 = (1 << 64) - 1


class SeenContents:
    """A set of content hashes by host. Mutable; grows as contents are added."""

    def __init__(self, slots: int = 1 << 10) -> None:
        """Start empty; `slots` is a power of two."""
        self._keys = array("I", bytes(4 * slots))
        self._mask = slots - 1
        self._used = 0

    def add(self, host: int, content: int) -> bool:
        """Add a content of a host, given as a 64-bit hash; return whether it is new."""
        mixed = ((content ^ (host * _MIX)) * _MIX) & _64
        key = mixed >> 32 or 1
        keys, mask = self._keys, self._mask
        slot = key & mask
        while (found := keys[slot]) != 0:
            if found == key:
                return False
            slot = (slot + 1) & mask
        keys[slot] = key
        self._used += 1
        if self._used > _FULL * mask:
            self._double()
        return True

    def __len__(self) -> int:
        """Return the number of contents."""
        return self._used

    def memory_bytes(self) -> int:
        """Return how many bytes the table takes."""
        return 4 * len(self._keys)

    def _double(self) -> None:
        old, self._keys = self._keys, array("I", bytes(8 * len(self._keys)))
        self._mask = mask = len(self._keys) - 1
        keys = self._keys
        for key in old:
            if key:
                slot = key & mask
                while keys[slot]:
                    slot = (slot + 1) & mask
                keys[slot] = key
