"""Functions for very long arrays, such as one number per page, that work on one chunk at a time.

An `Allocator` decides whether an array is in memory or in a file (`mmap_graph.zeros_in`). The intermediate results for
one chunk are always in memory. So the memory use need not grow with the number of pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

CHUNK: Final = 1 << 16
"""How many numbers are processed at a time."""

Allocator = Callable[[int, type[np.generic]], NDArray[Any]]
"""A function that returns a zeroed array of the given length and type."""
Places = NDArray[np.int32]
"""Indices of an array's elements, ascending or sorted by some key."""
_Number = TypeVar("_Number", bound=np.generic)


def chunks(size: int) -> Iterator[slice]:
    """Yield slices that together cover 0 to `size`. Each covers CHUNK numbers; the last may cover fewer."""
    for start in range(0, size, CHUNK):
        yield slice(start, min(start + CHUNK, size))


def places_where(size: int, is_chosen: Callable[[slice], NDArray[np.bool_]], zeros: Allocator) -> Places:
    """Return the indices below `size` that `is_chosen` selects, ascending.

    `is_chosen` is called with one slice after another, and returns an array that says which indices of the slice it
    selects.
    """
    places: Places = zeros(size, np.int32)
    count = 0
    for chunk in chunks(size):
        chosen = chunk.start + np.flatnonzero(is_chosen(chunk))
        places[count : count + len(chosen)] = chosen
        count += len(chosen)
    return places[:count]


def gathered(values: NDArray[_Number], places: Places, zeros: Allocator) -> NDArray[_Number]:
    """Return values[places], shape (k,), in an array allocated by `zeros`."""
    found = zeros(len(places), values.dtype.type)
    for chunk in chunks(len(places)):
        found[chunk] = values[places[chunk]]
    return found
