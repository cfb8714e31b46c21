"""What a revisit policy is: it gets change rates and importance, and says how long each page may wait."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class RevisitPolicy(Protocol):
    """Says how long each page waits until it is revisited, at a price that is the same for all.

    The price is what one visit is worth. A schedule finds the price at which the waits of all pages spend its budget,
    so a policy only has to say how waits differ from page to page, and that they grow with the price.
    """

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the waits in seconds, shape (k,); inf for a page that is never to be revisited.

        No wait is shorter at a higher price. `price` is above 0. `rates` are changes per second, above 0, shape (k,).
        `importance` is above 0, shape (k,).
        """
        ...
