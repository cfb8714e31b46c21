"""What a revisit policy is: told how often pages change and what they are worth, it says how long each may wait."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class RevisitPolicy(Protocol):
    """How long each page waits until it is looked at again, at a price that is the same for all.

    The price is what one visit is worth. A schedule finds the price at which the waits of all pages spend its budget,
    so a policy has to say only how waits differ from page to page, and that they grow with the price.
    """

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Seconds, shape (k,); inf for a page that is never to be looked at again. No less at a higher price.

        price: above 0. rates: changes a second, above 0, shape (k,). importance: above 0, shape (k,).
        """
        ...
