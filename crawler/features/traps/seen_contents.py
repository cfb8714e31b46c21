"""Which contents a crawl has seen, host by host, in 4 bytes a slot. Pure.

Open addressing on 32-bit keys in one flat array. Two contents share a key with a probability of n/2³² for each new
one among n: 0.02 % for a million. A page that is wrongly taken for known is fetched as any other; only a run of
them would slow their shape down.
"""

from __future__ import annotations

from array import array

_FULL = 0.6
_MIX = 0x9E3779B97F4A7C15
_64 = (1 << 64) - 1


class SeenContents:
    """Mutable: grows with the contents added."""

    def __init__(self, slots: int = 1 << 10) -> None:
        self._keys = array("I", bytes(4 * slots))
        self._mask = slots - 1
        self._used = 0

    def add(self, host: int, content: int) -> bool:
        """Remember a content, a 64-bit hash, of a host; whether it was not known."""
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
        return self._used

    def memory_bytes(self) -> int:
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
