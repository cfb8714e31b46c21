"""The interface of revisit policies, which derive the wait of each page from its change rate and importance."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class RevisitPolicy(Protocol):
    """Returns how long each page waits until it is revisited, at a price that is the same for all pages.

    The price is the cost of one visit. A schedule finds the price at which the waits of all pages use up its budget,
    so a policy only determines how waits differ between pages. Waits must grow with the price.
    """

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the waits in seconds, shape (k,); inf for a page that is never to be revisited.

        At a higher price no wait may be shorter. `price` is above 0. `rates` are changes per second, above 0, shape
        (k,). `importance` is above 0, shape (k,).
        """
        ...
