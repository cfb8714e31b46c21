"""The entries of sorted runs as arrays and as bytes. Pure.

An entry has a key and a value. The key of a link is its target, and its value is source << 1 | is_redirect, where
`is_redirect` says that the source links to the target by a redirect alone. The key of a body is the end of its hash,
and its value is the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.storage.values.compression import packed_bytes, unpacked_bytes

IntArray = NDArray[np.int64]

BLOCK: Final = 4096
"""The most entries of a block."""
_WIDE: Final = 8
_NARROW: Final = 4
"""The bytes of a number in a block."""
_HASH_BYTES: Final = 8


@dataclass(frozen=True, eq=False, slots=True)
class Entries:
    """k entries sorted by key and value; `keys` and `values` have shape (k,)."""

    keys: IntArray
    values: IntArray

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.keys)

    @staticmethod
    def of(keys: IntArray, values: IntArray) -> Entries:
        """Sort entries given in any order, and remove duplicates."""
        order = np.lexsort((values, keys))
        keys, values = keys[order], values[order]
        is_new = np.ones(len(keys), np.bool_)
        is_new[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1])
        return Entries(keys[is_new], values[is_new])

    @staticmethod
    def together(parts: Sequence[Entries]) -> Entries:
        """Return the entries of all `parts`, sorted and without duplicates."""
        none = np.zeros(0, np.int64)
        keys = np.concatenate([none, *(part.keys for part in parts)])
        return Entries.of(keys, np.concatenate([none, *(part.values for part in parts)]))

    def part(self, chosen: slice | NDArray[np.bool_] | NDArray[np.intp]) -> Entries:
        """Return the entries that `chosen` selects: a slice, a mask or indices."""
        return Entries(self.keys[chosen], self.values[chosen])

    def values_of(self, key: int) -> IntArray:
        """Return the values of a key, ascending."""
        return self.values[self.keys.searchsorted(key) : self.keys.searchsorted(key, "right")]

    def with_keys(self, keys: IntArray) -> Entries:
        """Return the entries with one of these keys; `keys` must be distinct and ascending."""
        places = np.minimum(keys.searchsorted(self.keys), len(keys) - 1)
        return self.part(keys[places] == self.keys)

    def blocks(self) -> Iterator[Entries]:
        """Yield the entries in blocks of up to BLOCK entries."""
        for begin in range(0, len(self), BLOCK):
            yield self.part(slice(begin, begin + BLOCK))


def packed(entries: Entries) -> bytes:
    """Return a block as bytes: a byte for the width of its numbers, and a zstd frame.

    The frame holds the differences between successive keys, and then the values. Numbers of four bytes are unsigned,
    and the bytes of their values are regrouped: first the first bytes of all values, then the second bytes, and so on.
    This makes the frame a third smaller.
    """
    differences, values = np.diff(entries.keys, prepend=0), entries.values
    if entries.keys.min() < 0 or max(entries.keys.max(), values.max()) >> 32:
        return bytes((_WIDE,)) + packed_bytes(differences.tobytes() + values.tobytes())
    planes = values.astype("<u4").view(np.uint8).reshape(-1, _NARROW).T
    return bytes((_NARROW,)) + packed_bytes(differences.astype("<u4").tobytes() + planes.tobytes())


def unpacked(data: bytes) -> Entries:
    """Return a block from its bytes. Raises DamagedFrame."""
    width, content = data[0], unpacked_bytes(data[1:])
    count = len(content) // (2 * width)
    if width == _WIDE:
        differences, values = np.frombuffer(content, np.int64).reshape(2, -1)
        return Entries(np.cumsum(differences), values)
    planes = np.frombuffer(content, np.uint8, _NARROW * count, _NARROW * count).reshape(_NARROW, -1)
    values = planes[0].astype(np.int64)
    for place in range(1, _NARROW):
        values |= planes[place].astype(np.int64) << 8 * place
    return Entries(np.cumsum(np.frombuffer(content, "<u4", count), dtype=np.int64), values)


def link_entries(sources: Sequence[int], targets: Sequence[str]) -> Entries:
    """Return the entries of links.

    `targets` holds a text for each source: the values target << 1 | is_redirect of its links, joined by commas.
    """
    said = np.fromstring(",".join(targets), np.int64, sep=",")
    values = np.repeat(np.array(sources, np.int64) << 1, [text.count(",") + 1 for text in targets]) | (said & 1)
    entries = Entries.of(said >> 1, values)
    is_first = np.ones(len(entries), np.bool_)  # of the same source and target, which is a redirect only if all are
    is_first[1:] = (np.diff(entries.keys) != 0) | (np.diff(entries.values >> 1) != 0)
    return entries.part(is_first)


def body_entries(pages: Sequence[int], hashes: Sequence[bytes]) -> Entries:
    """Return the entries of the bodies of `pages`, given their hashes."""
    return Entries.of(np.array([body_key(each) for each in hashes], np.int64), np.array(pages, np.int64))


def body_key(body_hash: bytes) -> int:
    """Return the key of a body: the end of its hash, as a number."""
    return int.from_bytes(body_hash[-_HASH_BYTES:], "big", signed=True)
