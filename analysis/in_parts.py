"""Arrays with a number for each of very many pages, worked through a part at a time.

They lie where their room is made (`Zeros`), which may be in files (`filed_graph.zeros_in`). What is computed of a part
is in memory, so that no more of it is needed for more pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

AT_ONCE: Final = 1 << 16

Zeros = Callable[[int, type[np.generic]], NDArray[Any]]
"""Makes room for so many numbers of a kind, all 0."""
Places = NDArray[np.int32]
_Number = TypeVar("_Number", bound=np.generic)


def parts(size: int) -> Iterator[slice]:
    """From 0 to size, of AT_ONCE numbers but for the last."""
    for start in range(0, size, AT_ONCE):
        yield slice(start, min(start + AT_ONCE, size))


def places_where(size: int, is_chosen: Callable[[slice], NDArray[np.bool_]], zeros: Zeros) -> Places:
    """The places that are chosen, ascending. is_chosen: which of a part are."""
    places: Places = zeros(size, np.int32)
    count = 0
    for part in parts(size):
        chosen = part.start + np.flatnonzero(is_chosen(part))
        places[count : count + len(chosen)] = chosen
        count += len(chosen)
    return places[:count]


def gathered(values: NDArray[_Number], places: Places, zeros: Zeros) -> NDArray[_Number]:
    """The values at these places, shape (k,)."""
    found = zeros(len(places), values.dtype.type)
    for part in parts(len(places)):
        found[part] = values[places[part]]
    return found
