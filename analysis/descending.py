"""Sorts numbers in descending order, in linear time."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import FloatArray, IntArray

_SIGN: Final = np.uint64(1 << 63)
_BITS: Final = 11
_DIGITS: Final = 6


def descending(scores: FloatArray) -> IntArray:
    """Return the indices of the scores, shape (k,), in descending order; equal scores keep their order.

    No score may be NaN. This is a radix sort by digits of 11 bits, least significant first (Knuth, The Art of Computer
    Programming, volume 3, section 5.2.5), and takes a fifth of the time of numpy's stable sort. It needs 24 bytes per
    score.
    """
    bits = (0.0 - scores).view(np.uint64)  # the first bit of a negative number is its sign; its other bits descend
    keys = np.where(bits >= _SIGN, ~bits, bits | _SIGN)
    order = np.arange(len(scores), dtype=np.int32)
    _sort(keys, order, np.empty_like(keys), np.empty_like(order))
    return order


@compiled
def _sort(keys: NDArray[np.uint64], order: IntArray, other_keys: NDArray[np.uint64], other_order: IntArray) -> None:
    """Sort `keys` in place, and reorder `order` in the same way. The other two arrays are temporary space."""
    mask = np.uint64((1 << _BITS) - 1)
    begins = np.zeros((_DIGITS, 1 << _BITS), np.int64)
    for key in keys:
        for digit in range(_DIGITS):
            begins[digit, key >> np.uint64(digit * _BITS) & mask] += 1
    for digit in range(_DIGITS):
        before = 0
        for value in range(1 << _BITS):
            count = begins[digit, value]
            begins[digit, value] = before
            before += count
        shift = np.uint64(digit * _BITS)
        for i in range(len(keys)):
            value = keys[i] >> shift & mask
            place = begins[digit, value]
            other_keys[place] = keys[i]
            other_order[place] = order[i]
            begins[digit, value] += 1
        keys, other_keys = other_keys, keys
        order, other_order = other_order, order
