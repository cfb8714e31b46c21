"""Sorts and groups very long arrays, with only one chunk in memory at a time (see `chunked`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis import chunked
from hinterland.analysis.chunked import Allocator, Places, chunks

Keys = NDArray[np.uint64] | NDArray[np.uint32]

_DIGITS: Final = 1 << 16


def in_order(keys: Keys, zeros: Allocator) -> Places:
    """Return the indices of the keys, shape (n,), in ascending order; equal keys keep their order.

    It is a radix sort by digits of 16 bits, least significant first (Knuth, The Art of Computer Programming, volume 3,
    section 5.2.5), and needs 8 bytes per key.
    """
    order: Places = zeros(len(keys), np.int32)
    if len(keys) <= chunked.CHUNK:
        order[:] = np.argsort(keys, kind="stable")
        return order
    for part in chunks(len(keys)):
        order[part] = np.arange(part.start, part.stop)
    after: Places = zeros(len(keys), np.int32)
    for digit in range(0, 8 * keys.itemsize, 16):
        counts = _digit_counts(keys, digit)
        if counts.max() < len(keys):  # else all keys have the same digit
            _sort_by_digit(keys, digit, order, after, np.cumsum(counts) - counts)
            order, after = after, order
    return order


def _digit_counts(keys: Keys, digit: int) -> NDArray[np.int64]:
    counts = np.zeros(_DIGITS, np.int64)
    for part in chunks(len(keys)):
        counts += np.bincount(_digits(keys[part], digit), minlength=_DIGITS)
    return counts


def _sort_by_digit(keys: Keys, digit: int, order: Places, after: Places, begins: NDArray[np.int64]) -> None:
    """Sort the indices in `order` stably by one digit of their keys, and write them to `after`.

    `begins` holds, for each value of the digit, the place where the next index goes. It is updated.
    """
    for part in chunks(len(keys)):
        places = order[part]
        digits = _digits(keys[places], digit)
        by_digit = np.argsort(digits, kind="stable")
        ascending = digits[by_digit]
        starts = np.flatnonzero(is_first(ascending))
        sizes = np.diff(starts, append=len(ascending))
        present = ascending[starts]
        after[np.arange(len(ascending)) + np.repeat(begins[present] - starts, sizes)] = places[by_digit]
        begins[present] += sizes


def _digits(keys: Keys, digit: int) -> NDArray[np.uint16]:
    return (keys >> keys.dtype.type(digit)).astype(np.uint16)


def numbered(keys: Keys, zeros: Allocator) -> tuple[Places, int]:
    """Return for each key how many distinct keys are smaller, shape (n,), and the number of distinct keys."""
    order = in_order(keys, zeros)
    numbers: Places = zeros(len(keys), np.int32)
    count = 0
    for part in chunks(len(order)):
        places = order[part]
        is_new = is_first(keys[places])
        if part.start:
            is_new[0] = keys[places[0]] != keys[order[part.start - 1]]
        numbers[places] = count - 1 + np.cumsum(is_new)
        count += int(is_new.sum())
    return numbers, count


def neighbours_alike(keys: Keys, zeros: Allocator) -> Iterator[tuple[Places, Places, Places]]:
    """Yield all pairs of indices whose keys are equal and next to each other in sorted order, chunk by chunk.

    Each chunk is three parallel arrays: the first index of each pair, its second index, and the first of all indices
    with the same key.
    """
    order = in_order(keys, zeros)
    first = -1
    for part in chunks(len(order)):
        places = order[max(part.start - 1, 0) : part.stop]
        is_new = is_first(keys[places])
        begins = np.maximum.accumulate(np.where(is_new, np.arange(len(places)), 0))
        firsts = places[begins]
        if part.start:  # the first of these was the last of the previous chunk
            firsts[begins == 0] = first
        yield places[:-1][~is_new[1:]], places[1:][~is_new[1:]], firsts[1:][~is_new[1:]]
        first = int(firsts[-1])


def distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sort the numbers in place, remove repeats, and return the part of the array that remains."""
    numbers.sort()
    size = 0
    for part in chunks(len(numbers)):
        mine = numbers[part].copy()
        is_new = is_first(mine)
        is_new[0] = not size or mine[0] != numbers[size - 1]
        kept = mine[is_new]
        numbers[size : size + len(kept)] = kept
        size += len(kept)
    return numbers[:size]


def sorted_pairs(
    first: NDArray[np.int64], second: NDArray[np.int64], zeros: Allocator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of numbers from 0 to 2³¹ - 1, shape (k,), sorted by the first and then by the second."""
    pairs: NDArray[np.int64] = zeros(len(first), np.int64)
    for part in chunks(len(first)):
        pairs[part] = first[part] << 32 | second[part]
    pairs.sort()
    by_first, by_second = zeros(len(first), np.int64), zeros(len(first), np.int64)
    for part in chunks(len(first)):
        by_first[part], by_second[part] = pairs[part] >> 32, pairs[part] & 0xFFFFFFFF
    return by_first, by_second


def is_first(ascending: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return which numbers of an ascending array differ from their predecessors, shape (n,)."""
    is_new = np.ones(len(ascending), np.bool_)
    is_new[1:] = ascending[1:] != ascending[:-1]
    return is_new
