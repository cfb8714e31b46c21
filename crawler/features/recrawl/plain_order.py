"""The policies `uniform`, `importance` and `change`: baselines for the others."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.features.recrawl.policy import FloatArray


class Uniform:
    """Revisit all pages equally often."""

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the same wait for every page, in seconds, shape (k,): the price itself."""
        return np.full(len(rates), price)


class ByImportance:
    """Revisit each page at a frequency proportional to its importance.

    This is optimal if change rates are proportional to importance.
    """

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the waits in seconds, shape (k,)."""
        return np.asarray(price / importance, np.float64)


class ByChange:
    """Revisit each page at a frequency proportional to its change rate.

    This is worse than `uniform`, as Cho & Garcia-Molina (ACM TODS 28(4) 2003) proved.
    """

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the waits in seconds, shape (k,)."""
        return np.asarray(price / rates, np.float64)
