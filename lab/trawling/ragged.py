"""Rows of numbers of different lengths in one array, to which compiled loops append rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled
from hinterland.analysis.copying import copy_into
from hinterland.analysis.graph import IntArray, Rows

Integers = NDArray[np.signedinteger[Any]]


@compiled
def no_rows() -> Rows:
    """Return rows without content, with space for some rows to be appended."""
    return np.zeros(1025, np.int64), np.empty(4096, np.int32)


@compiled
def with_row(rows: Rows, count: int, row: IntArray) -> Rows:
    """Return the first `count` rows, followed by one more row."""
    offsets, values = rows
    begin = offsets[count]
    offsets = with_room(offsets, count + 2)
    values = with_room(values, begin + len(row))
    copy_into(values, begin, row)
    offsets[count + 1] = begin + len(row)
    return offsets, values


@compiled
def without_room(rows: Rows, count: int) -> Rows:
    """Return the first `count` rows without spare space."""
    offsets, values = rows
    return offsets[: count + 1].copy(), values[: offsets[count]].copy()


@compiled
def with_room(array: Integers, size: int) -> Integers:
    """Return the array, or a copy with space for `size` numbers. The added places are not initialised."""
    if size <= len(array):
        return array
    larger = np.empty(max(size, 2 * len(array)), array.dtype)
    copy_into(larger, 0, array)
    return larger
