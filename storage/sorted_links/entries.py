"""The entries of sorted runs as arrays and as bytes. Pure.

An entry has a key and a value. Of links, the key is the target, and the value source << 1 | is_redirect, where
`is_redirect` says that the source links to the target by a redirect alone. Of bodies, the key is the end of the hash,
and the value is the page.
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
_BYTES: Final = 8
_HASH_BYTES: Final = 8


@dataclass(frozen=True, eq=False, slots=True)
class Entries:
    """Entries sorted by key, shape (k,) each."""

    keys: IntArray
    values: IntArray

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.keys)

    @staticmethod
    def of(keys: IntArray, values: IntArray) -> Entries:
        """Return entries in any order as sorted ones, each once."""
        order = np.lexsort((values, keys))
        keys, values = keys[order], values[order]
        is_new = np.ones(len(keys), np.bool_)
        is_new[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1])
        return Entries(keys[is_new], values[is_new])

    @staticmethod
    def together(parts: Sequence[Entries]) -> Entries:
        """Return the entries of all parts, each once."""
        none = np.zeros(0, np.int64)
        keys = np.concatenate([none, *(part.keys for part in parts)])
        return Entries.of(keys, np.concatenate([none, *(part.values for part in parts)]))

    def part(self, chosen: slice | NDArray[np.bool_] | NDArray[np.intp]) -> Entries:
        """Return some entries."""
        return Entries(self.keys[chosen], self.values[chosen])

    def values_of(self, key: int) -> IntArray:
        """Return the values of a key, ascending."""
        return self.values[self.keys.searchsorted(key) : self.keys.searchsorted(key, "right")]

    def blocks(self) -> Iterator[Entries]:
        """Yield the entries in blocks."""
        for begin in range(0, len(self), BLOCK):
            yield self.part(slice(begin, begin + BLOCK))


def packed(entries: Entries) -> bytes:
    """Return a block as bytes: the differences of the keys and the values, byte by byte of all, as a zstd frame."""
    columns = np.diff(entries.keys, prepend=0), entries.values
    return packed_bytes(b"".join(column.view(np.uint8).reshape(-1, _BYTES).T.tobytes() for column in columns))


def unpacked(data: bytes) -> Entries:
    """Return a block from its bytes. Raises DamagedFrame."""
    planes = np.frombuffer(unpacked_bytes(data), np.uint8).reshape(2, _BYTES, -1)
    differences, values = (np.ascontiguousarray(plane.T).view(np.int64).ravel() for plane in planes)
    return Entries(np.cumsum(differences), values)


def link_entries(sources: Sequence[int], targets: Sequence[str]) -> Entries:
    """Return the entries of links; `targets` holds target << 1 | is_redirect of each source, joined by commas."""
    said = np.fromstring(",".join(targets), np.int64, sep=",")
    values = np.repeat(np.array(sources, np.int64) << 1, [text.count(",") + 1 for text in targets]) | (said & 1)
    entries = Entries.of(said >> 1, values)
    is_first = np.ones(len(entries), np.bool_)  # of the same source and target, which is a redirect only if all are
    is_first[1:] = (np.diff(entries.keys) != 0) | (np.diff(entries.values >> 1) != 0)
    return entries.part(is_first)


def body_entries(pages: Sequence[int], hashes: Sequence[bytes]) -> Entries:
    """Return the entries of bodies."""
    return Entries.of(np.array([body_key(each) for each in hashes], np.int64), np.array(pages, np.int64))


def body_key(body_hash: bytes) -> int:
    """Return the key of a body."""
    return int.from_bytes(body_hash[-_HASH_BYTES:], "big", signed=True)
