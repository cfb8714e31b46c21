"""Near-duplicates: texts that share nearly all of their shingles.

The resemblance of two texts is the Jaccard coefficient of their sets of shingles, here of four words in a row (Broder
1997). It is estimated from signatures by one permutation hashing (Li, Owen & Zhang 2012): every shingle's hash falls
into one of 128 bins, and a bin keeps the smallest. Texts that may be near are found by banding, and each pair so found
is then judged by its whole signatures.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import compiled

BINS: Final = 128
EMPTY: Final = 0xFFFF
"""What a bin holds into which no shingle fell."""
LEAST_SHINGLES: Final = 64
"""Below that too few bins are filled: the signature of a shorter text is all EMPTY, and it is near to nothing."""

_WORDS: Final = 4
_ROWS: Final = 8  # of a band: at a resemblance of 0.9, sixteen bands miss a pair once in ten thousand times
_AT_ONCE: Final = 100_000

Signatures = NDArray[np.uint16]
IntArray = NDArray[np.int64]


def signature(text: str) -> Signatures:
    """The signature of a text, shape (128,). Case, punctuation and space do not matter; beyond ASCII all letters do."""
    bins = np.full(BINS, EMPTY, np.uint16)
    _fill(np.frombuffer(text.lower().encode("utf-8", "surrogatepass"), np.uint8), bins)
    return bins


def resemblance(a: Signatures, b: Signatures) -> NDArray[np.float64]:
    """The estimated resemblance of the texts of two rows of signatures, shape (k, 128) each; 0 where both are empty.

    For a resemblance of r the standard error is about √(r (1 - r) / 128): 0.027 at 0.9.
    """
    filled = (a != EMPTY) | (b != EMPTY)
    same = (a == b) & filled
    return np.asarray(same.sum(axis=-1) / np.maximum(filled.sum(axis=-1), 1), np.float64)


def near_pairs(
    signatures: Signatures, threshold: float, labels: NDArray[np.uint64] | None = None
) -> tuple[IntArray, IntArray]:
    """Pairs of rows whose estimated resemblance is at least `threshold`: (rows, rows), each first < second.

    labels: shape (n,); only rows of the same label are paired.

    Of texts that agree in a band only neighbours in the order of their rows are compared, and each with the first:
    that connects what belongs together with a number of comparisons that grows as the number of texts.
    """
    rows = np.flatnonzero((signatures != EMPTY).any(axis=1))
    found = [np.empty(0, np.int64)]  # first row * size + second
    size = max(len(signatures), 1)
    for start in range(0, BINS if len(rows) > 1 else 0, _ROWS):
        band = np.ascontiguousarray(signatures[rows, start : start + _ROWS]).view(np.uint64)
        keys = band[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ band[:, 1]
        if labels is not None:
            keys = keys * np.uint64(0xBF58476D1CE4E5B9) ^ labels[rows]
        order = np.argsort(keys, kind="stable")
        is_same = keys[order][1:] == keys[order][:-1]
        begins = np.flatnonzero(np.concatenate(([True], ~is_same)))
        firsts = order[np.repeat(begins, np.diff(np.append(begins, len(order))))]
        later = rows[order[1:][is_same]]
        found += [rows[others[is_same]] * size + later for others in (order[:-1], firsts[1:])]
    pairs = np.unique(np.concatenate(found))
    first, second = pairs // size, pairs % size
    is_near = np.zeros(len(pairs), np.bool_)
    for start in range(0, len(pairs), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        is_near[part] = resemblance(signatures[first[part]], signatures[second[part]]) >= threshold
    if labels is not None:
        is_near &= labels[first] == labels[second]  # two labels may have one key
    return first[is_near], second[is_near]


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
