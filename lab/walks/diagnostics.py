"""Tests whether a sample is uniform, and how many independent pages would tell as much, as in the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Final

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray

_EXPECTED: Final = 5.0
"""The fewest pages expected in each bucket of a χ² test (Cochran 1954)."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """The pages that have a value in the range from low to high: their share of the sample, and of all pages."""

    low: int
    high: int
    sampled: float
    true: float

    @property
    def ratio(self) -> float:
        """The share in the sample divided by the true share; 1 if the sample is uniform."""
        return self.sampled / self.true


def by_degree(degrees: IntArray, sample: IntArray, population: IntArray) -> list[Bucket]:
    """Compare a sample with all pages, by buckets of pages with 0, 1, 2 to 3, 4 to 7, … links.

    `degrees` are the degrees of all pages, shape (n,); `sample` has repeats; `population` holds the distinct pages over
    which the sample should be uniform. Buckets without a page of the population are left out.
    """
    return _compared(np.frexp(degrees.astype(np.float64))[1].astype(np.int32), degrees, sample, population)


def by_age(ages: IntArray, sample: IntArray, population: IntArray, buckets: int = 10) -> list[Bucket]:
    """Compare a sample with all pages, by buckets with the same number of pages, the oldest first.

    The oldest pages are those with the lowest `ages`, shape (n,). `sample` and `population` are as in `by_degree`.
    """
    rank = np.zeros(len(ages), np.int32)
    rank[population[np.argsort(ages[population], kind="stable")]] = np.arange(len(population))
    return _compared(rank * buckets // max(len(population), 1), ages, sample, population)


def _compared(groups: IntArray, values: IntArray, sample: IntArray, population: IntArray) -> list[Bucket]:
    count = int(groups[population].max(initial=0)) + 1
    true = np.bincount(groups[population], minlength=count)
    inside = sample[np.isin(sample, population)]
    sampled = np.bincount(groups[inside], minlength=count)
    found = []
    for group in np.flatnonzero(true).tolist():
        here = values[population[groups[population] == group]]
        shares = sampled[group] / max(len(sample), 1), true[group] / len(population)
        found.append(Bucket(int(here.min()), int(here.max()), float(shares[0]), float(shares[1])))
    return found


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """The result of a χ² test.

    `statistic` is Σ (observed - expected)² / expected, and `freedom` its degrees of freedom. `p_value` is the
    probability that a uniform sample gives a statistic of at least this size. It is accurate to 0.01, by the
    approximation of Wilson & Hilferty (1931).
    """

    statistic: float
    freedom: int
    p_value: float


def chi_square(buckets: Sequence[Bucket], size: float) -> ChiSquare:
    """Test the shares in a sample of `size` independent pages. For a walk, `size` is its `least_effective_size`.

    Neighbouring buckets are joined until five pages are expected in each.
    """
    statistic, joined = 0.0, 0
    sampled = true = 0.0
    pairs: list[tuple[float, float]] = []
    for bucket in buckets:
        sampled, true = sampled + bucket.sampled, true + bucket.true
        if true * size >= _EXPECTED:
            pairs.append((sampled, true))
            sampled = true = 0.0
    if true and pairs:
        pairs[-1] = pairs[-1][0] + sampled, pairs[-1][1] + true
    for observed, expected in pairs:
        statistic += size * (observed - expected) ** 2 / expected
        joined += 1
    freedom = max(joined - 1, 0)
    return ChiSquare(statistic, freedom, _tail(statistic, freedom))


def _tail(statistic: float, freedom: int) -> float:
    if not freedom:
        return 1.0
    variance = 2 / (9 * freedom)
    return 0.5 * erfc(((statistic / freedom) ** (1 / 3) - (1 - variance)) / sqrt(2 * variance))


def effective_size(values: FloatArray) -> float:
    """Return how many independent pages would tell as much about the mean of a value as these k successive values.

    It is k / (1 + 2 Σ ρ), by autocorrelations ρ up to the first pair of neighbouring lags whose sum is not positive
    (Geyer, Statistical Science 7, 1992), and at most k. If the value never changes, the result is 1.
    """
    count = len(values)
    deviations = values - values.mean() if count else values
    if not count or not np.any(deviations):
        return float(min(count, 1))
    spectrum = np.abs(np.fft.rfft(deviations, 1 << (2 * count - 1).bit_length())) ** 2  # a prime length takes minutes
    correlations = np.fft.irfft(spectrum)[:count]
    correlations /= correlations[0]
    pairs = correlations[: count // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    total = 2 * float(pairs[: ends[0] if len(ends) else len(pairs)].sum()) - 1
    return count / max(total, 1.0)


def least_effective_size(values: IntArray, buckets: Sequence[Bucket]) -> float:
    """Return the smallest effective size over all buckets, each with its share of the pages as the value.

    It belongs to the bucket that the walk enters and leaves most rarely. `values` holds the values of the successive
    pages, shape (k,). A χ² test needs this size. If a walk stays in a part of the web for long, the degrees of its
    pages may still change with each step, and suggest that it has seen many more pages than it has.
    """
    inside = ((each.low <= values) & (values <= each.high) for each in buckets if 0 < each.sampled < 1)
    return min((effective_size(is_in.astype(np.float64)) for is_in in inside), default=float(min(len(values), 1)))


def size_by_weights(weights: FloatArray) -> float:
    """Return how many pages of equal weight would tell as much as these weighted pages: (Σ w)² / Σ w² (Kish 1965)."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0
