"""Copies between arrays in compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled

_Array = NDArray[np.integer[Any]]


@compiled
def copy_into(array: _Array, begin: int, values: _Array) -> None:
    """Do array[begin : begin + len(values)] = values, unchecked.

    For a plain assignment numba would also compile the message of a shape error, which takes two seconds for each use.
    """
    for place in range(len(values)):
        array[begin + place] = values[place]
