"""Lots that a policy draws and an estimator recognises, with nothing stored.

What a policy chose because it promised much says little of what it left. So `return-flow` draws some pages by lot:
those with the smallest permanent random numbers. Whoever knows the numbers sees it afterwards: among the pages
crawled, small numbers are more frequent than chance would have it, and the pages that have them are the lots.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.graph import BoolArray, FloatArray, IntArray
from analysis.permanent_random import permanent_random_numbers

_SEED: Final = 0
_CHANCE: Final = 1.0
"""Without lots, D⁺ √k is above 1 once in seven times (e⁻²; Smirnov 1939): then a random part of the pages is taken for
lots, which biases nothing."""


def lot_numbers(pages: IntArray) -> FloatArray:
    """In (0, 1], shape (k,); the pages with the smallest are drawn."""
    return permanent_random_numbers(pages, _SEED)


def drawn_by_lot(pages: IntArray) -> BoolArray:
    """Which of the pages that were chosen probably were by lot, shape (k,).

    Those up to the number at which the empirical distribution of all their numbers is farthest above the uniform one,
    at the distance D⁺ of Kolmogorov and Smirnov: below it, numbers are denser than chance has them. None, if D⁺ is
    no larger than chance makes it.
    """
    count = len(pages)
    numbers = lot_numbers(pages)
    ascending = np.sort(numbers)
    excess = np.arange(1, count + 1) / max(count, 1) - ascending
    if not count or excess.max() * np.sqrt(count) <= _CHANCE:
        return np.zeros(count, np.bool_)
    is_lot: BoolArray = numbers <= ascending[np.argmax(excess)]
    return is_lot
