"""Copies the content of one array into another, in compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled

_Array = NDArray[np.integer[Any]]


@compiled
def copy_into(array: _Array, begin: int, values: _Array) -> None:
    """Do array[begin : begin + len(values)] = values, without checking the bounds.

    If this were written as an assignment, numba would also compile the message of a shape error. That takes two seconds
    wherever it is used.
    """
    for place in range(len(values)):
        array[begin + place] = values[place]
