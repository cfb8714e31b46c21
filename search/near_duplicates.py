"""Near-duplicate detection: texts that share nearly all of their shingles.

The resemblance of two texts is the Jaccard coefficient of their sets of shingles (Broder 1997); a shingle is a sequence
of four words here. Resemblance is estimated from signatures by one permutation hashing (Li, Owen & Zhang 2012): every
shingle's hash falls into one of 128 bins, and each bin keeps its smallest hash. Candidate pairs are found by banding
(locality-sensitive hashing) and verified with their whole signatures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, Places, chunks, places_where
from hinterland.analysis.compiled import compiled
from hinterland.analysis.ordering import distinct, neighbours_alike
from hinterland.search.store.values.arrays import LongArray

BINS: Final = 128
EMPTY: Final = 0xFFFF
"""The value of a bin that no shingle fell into."""
BAND: Final = 8
"""Bins in a band. At a resemblance of 0.9, sixteen bands miss one pair in ten thousand."""
LEAST_SHINGLES: Final = 64
"""Texts with fewer shingles fill too few bins: their signature is all EMPTY, and they resemble nothing."""

_WORDS: Final = 4
_BANDS: Final = BINS // BAND
Signatures = NDArray[np.uint16]


def signature(text: str) -> Signatures:
    """Return the signature of a text, shape (128,).

    Case, punctuation and spaces are ignored. All bytes beyond ASCII count as letters.
    """
    bins = np.full(BINS, EMPTY, np.uint16)
    _fill(np.frombuffer(text.lower().encode("utf-8", "surrogatepass"), np.uint8), bins)
    return bins


class SignatureBands(Protocol):
    """Signatures that are read band by band, because all of them may not fit into memory."""

    def __len__(self) -> int:
        """Return the number of signatures, n."""
        ...

    def band(self, number: int) -> Signatures:
        """Return band `number` of all signatures: the `BAND` values from index BAND * number on, shape (n, BAND)."""
        ...


class BandsInMemory:
    """The bands of an array of signatures, shape (n, 128)."""

    def __init__(self, signatures: Signatures) -> None:
        """Wrap `signatures`, shape (n, 128)."""
        self._signatures = signatures

    def __len__(self) -> int:
        """Return the number of signatures."""
        return len(self._signatures)

    def band(self, number: int) -> Signatures:
        """Return one band of all signatures, shape (n, BAND)."""
        return self._signatures[:, number * BAND : (number + 1) * BAND]


def has_signature(signatures: SignatureBands, zeros: Allocator = np.zeros) -> NDArray[np.bool_]:
    """Return which texts are long enough to have a signature that can be compared, shape (n,)."""
    is_filled: NDArray[np.bool_] = zeros(len(signatures), np.bool_)
    for number in range(_BANDS):
        band = signatures.band(number)
        for part in chunks(len(band)):
            is_filled[part] |= (band[part] != EMPTY).any(axis=1)
    return is_filled


def resemblances(signatures: SignatureBands, first: LongArray, second: LongArray) -> NDArray[np.float64]:
    """Return the estimated resemblance of the texts in rows `first` and `second`, shape (k,); 0 if both are empty.

    For a resemblance of r, the standard error is about √(r (1 - r) / 128): 0.027 at 0.9.
    """
    same, filled = np.zeros(len(first), np.int16), np.zeros(len(first), np.int16)
    for number in range(_BANDS if len(first) else 0):
        band = signatures.band(number)
        a, b = band[first], band[second]
        is_filled = (a != EMPTY) | (b != EMPTY)
        filled += is_filled.sum(axis=1, dtype=np.int16)
        same += ((a == b) & is_filled).sum(axis=1, dtype=np.int16)
    return np.asarray(same / np.maximum(filled, 1), np.float64)


def near_pairs(
    signatures: SignatureBands,
    threshold: float,
    labels: NDArray[np.uint64] | None = None,
    among: NDArray[np.bool_] | None = None,
    zeros: Allocator = np.zeros,
) -> Iterator[tuple[LongArray, LongArray]]:
    """Yield pairs of rows whose estimated resemblance is at least `threshold`, in chunks.

    Each chunk is (rows, rows), each first < second. `labels`, shape (n,), restricts pairs to rows of the same label;
    `among`, shape (n,), restricts them to marked rows. `zeros` allocates about 30 bytes per row, and 8 bytes per pair
    that agrees in a band.

    Among the texts that agree in a band, each is compared only with two: its neighbour in row order, and the first
    text. So the number of comparisons is linear in the number of texts, and groups are still connected.
    """
    is_long = has_signature(signatures, zeros)
    rows = places_where(
        len(is_long), lambda part: is_long[part] if among is None else is_long[part] & among[part], zeros
    )
    found: LongArray = zeros(0, np.int64)  # first row * size + second
    size = max(len(signatures), 1)
    for number in range(_BANDS if len(rows) > 1 else 0):
        keys = _keys(signatures.band(number), rows, labels, zeros)
        agreeing: LongArray = zeros(len(found) + 2 * len(rows), np.int64)
        count = len(found)
        agreeing[:count] = found
        for before, later, first_of_key in neighbours_alike(keys, zeros):
            for others in (before, first_of_key):
                agreeing[count : count + len(later)] = rows[others].astype(np.int64) * size + rows[later]
                count += len(later)
        found = distinct(agreeing[:count])
    for part in chunks(len(found)):
        first, second = found[part] // size, found[part] % size
        is_near = resemblances(signatures, first, second) >= threshold
        if labels is not None:
            is_near &= labels[first] == labels[second]  # two labels may have one key
        yield first[is_near], second[is_near]


def _keys(band: Signatures, rows: Places, labels: NDArray[np.uint64] | None, zeros: Allocator) -> NDArray[np.uint64]:
    """Return a hash of the band and the label of each row."""
    keys: NDArray[np.uint64] = zeros(len(rows), np.uint64)
    for part in chunks(len(rows)):
        numbers = np.ascontiguousarray(band[rows[part]]).view(np.uint64)
        keys[part] = numbers[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ numbers[:, 1]
        if labels is not None:
            keys[part] = keys[part] * np.uint64(0xBF58476D1CE4E5B9) ^ labels[rows[part]]
    return keys


@compiled
def _fill(text: NDArray[np.uint8], bins: Signatures) -> None:
    recent = np.zeros(_WORDS, np.uint64)
    words = 0
    word = np.uint64(0)
    smallest = np.full(BINS, 0xFFFFFFFF, np.int64)
    for place in range(len(text) + 1):
        byte = int(text[place]) if place < len(text) else 32
        if byte >= 128 or 48 <= byte <= 57 or 97 <= byte <= 122:
            word = (word ^ np.uint64(byte)) * np.uint64(0x100000001B3)
        elif word:
            recent[words % _WORDS] = word
            words += 1
            word = np.uint64(0)
            if words >= _WORDS:
                mixed = np.uint64(0xCBF29CE484222325)
                for back in range(_WORDS):
                    mixed = (mixed ^ recent[(words + back) % _WORDS]) * np.uint64(0x9E3779B97F4A7C15)
                    mixed ^= mixed >> np.uint64(29)
                mixed *= np.uint64(0xBF58476D1CE4E5B9)
                mixed ^= mixed >> np.uint64(32)
                bin_ = np.int64(mixed & np.uint64(BINS - 1))
                value = np.int64((mixed >> np.uint64(16)) & np.uint64(0xFFFFFFFF))
                smallest[bin_] = np.minimum(smallest[bin_], value)
    if words - _WORDS + 1 < LEAST_SHINGLES:
        return
    for each in range(BINS):
        if smallest[each] < 0xFFFFFFFF:
            # the low bits of the smallest value; EMPTY itself gives way
            bins[each] = np.uint16(min(smallest[each] & 0xFFFF, EMPTY - 1))
