"""Measures how far an estimated ranking is from the true one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import FloatArray

TIE = 1e-6
"""Ranks that differ by less than about this fraction of the mean rank count as tied: estimates are no more exact."""


@dataclass(frozen=True, slots=True)
class RankDistance:
    """The measures of Davis & Dhillon (KDD 2006). tau is NaN if all pages are tied in one of the two rankings."""

    l1: float
    linf: float
    tau: float


def mean_distance(distances: Sequence[RankDistance]) -> RankDistance:
    """Return the mean of several distances: the arithmetic mean of each measure."""
    count = len(distances)
    return RankDistance(
        sum(each.l1 for each in distances) / count,
        sum(each.linf for each in distances) / count,
        sum(each.tau for each in distances) / count,
    )


def rank_distance(estimate: FloatArray, truth: FloatArray) -> RankDistance:
    """Return the distance between two distributions over the same n pages, shape (n,) each, both summing to 1.

    L1 and L∞ are norms of the difference. Kendall's τ is variant b. Both distributions are first rounded to multiples
    of TIE / n, so that rounding errors of an iteration do not decide the order of pages.
    """
    if estimate.shape != truth.shape:
        raise ValueError(
            f"an estimate of shape {estimate.shape} cannot be compared with a truth of shape {truth.shape}"
        )
    if not len(truth):
        return RankDistance(0.0, 0.0, float("nan"))
    difference = np.abs(estimate - truth)
    step = TIE / len(truth)
    tau = kendall_tau(np.round(estimate / step), np.round(truth / step))
    return RankDistance(float(difference.sum()), float(difference.max()), tau)


def kendall_tau(first: FloatArray, second: FloatArray) -> float:
    """Return Kendall's τ-b of two arrays of shape (n,): (C - D) / √((P - T₁)(P - T₂)), in O(n log n).

    Of the P pairs, C are ordered alike and D oppositely. T₁ pairs are tied in the first array and T₂ in the second;
    tied pairs count neither as C nor as D (Kendall 1945; algorithm of Knight, JASA 1966). The result is NaN if all
    pairs of one array are tied.
    """
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"arrays of shapes {first.shape} and {second.shape} are not rankings of the same pages")
    n = len(first)
    order = np.lexsort((second, first))
    a, b = first[order], second[order]
    pairs = n * (n - 1) // 2
    tied_first = _tied_pairs(a[1:] != a[:-1])
    tied_both = _tied_pairs((a[1:] != a[:-1]) | (b[1:] != b[:-1]))
    in_order = np.sort(b)
    tied_second = _tied_pairs(in_order[1:] != in_order[:-1])
    # Within a tie of the first, the second ascends, so no exchange is counted there.
    discordant = int(_exchanges(b.astype(np.float64)))
    concordant = pairs - tied_first - tied_second + tied_both - discordant
    if tied_first == pairs or tied_second == pairs:
        return float("nan")
    # Python's integers: the product of two numbers of pairs may need more than 64 bits.
    return (concordant - discordant) / sqrt((pairs - tied_first) * (pairs - tied_second))


def _tied_pairs(is_new: NDArray[np.bool_]) -> int:
    """Return the number of pairs of equal values in a sorted array.

    `is_new` says, for every value except the first, whether it differs from its predecessor.
    """
    starts = np.concatenate([[0], np.flatnonzero(is_new) + 1, [len(is_new) + 1]])
    sizes = np.diff(starts)
    return int((sizes * (sizes - 1) // 2).sum())


@compiled
def _exchanges(values: FloatArray) -> int:
    """Return how many pairs are in descending order, counted by a bottom-up merge sort."""
    n = len(values)
    source = values.copy()
    merged = np.empty_like(source)
    exchanges = 0
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle = min(start + width, n)
            end = min(start + 2 * width, n)
            left, right = start, middle
            for place in range(start, end):
                if right >= end or (left < middle and source[left] <= source[right]):
                    merged[place] = source[left]
                    left += 1
                else:
                    merged[place] = source[right]
                    right += 1
                    exchanges += middle - left
        source, merged = merged, source
        width *= 2
    return exchanges
