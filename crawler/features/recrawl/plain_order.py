"""`uniform`, `importance` and `change`: what policies that learn have to beat."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.features.recrawl.policy import FloatArray


class Uniform:
    """All pages as often as each other."""

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        return np.full(len(rates), price)


class ByImportance:
    """As often as a page is worth: what is best where important pages change more often in the same measure."""

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        return np.asarray(price / importance, np.float64)


class ByChange:
    """As often as a page changes. Worse than `uniform`, as Cho & Garcia-Molina (ACM TODS 28(4) 2003) proved."""

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        return np.asarray(price / rates, np.float64)
