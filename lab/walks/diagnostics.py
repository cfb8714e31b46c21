"""Whether a sample is uniform, and how much it is worth: what the figures of the paper on sampling show, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Final

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray

_EXPECTED: Final = 5.0
"""Pages that are expected at least in each bucket of a χ² test (Cochran 1954)."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """The pages with a value from low to high: their share of the sample and of all pages. ratio: of the shares; 1 if
    the sample is uniform.
    """

    low: int
    high: int
    sampled: float
    true: float

    @property
    def ratio(self) -> float:
        return self.sampled / self.true


def by_degree(degrees: IntArray, sample: IntArray, population: IntArray) -> list[Bucket]:
    """In buckets of 0, 1, 2 to 3, 4 to 7, … links; those without a page of the population are left out.

    degrees: of all pages, shape (n,); sample: with repeats; population: the distinct pages that it is to be uniform
    over.
    """
    return _compared(np.frexp(degrees.astype(np.float64))[1].astype(np.int32), degrees, sample, population)


def by_age(ages: IntArray, sample: IntArray, population: IntArray, buckets: int = 10) -> list[Bucket]:
    """In buckets of as many pages each, from the oldest on. ages: of all pages, a number that grows; shape (n,)."""
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
    """statistic: Σ (observed - expected)² / expected; degrees of freedom; p_value: how probable as large a one is if
    the sample is uniform, by the approximation of Wilson & Hilferty (1931), good to 0.01.
    """

    statistic: float
    freedom: int
    p_value: float


def chi_square(buckets: Sequence[Bucket], size: float) -> ChiSquare:
    """Of the shares in a sample of so many independent pages: for a walk, its `least_effective_size`. Neighbouring
    buckets are joined until five pages are expected in each.
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
    """How many independent pages say as much of the mean of a value as these that came one after the other, shape (k,):
    k / (1 + 2 Σ ρ), by autocorrelations ρ up to the first pair of neighbouring lags whose sum is not positive (Geyer,
    Statistical Science 7, 1992). At most k. A value that never changes tells nothing: then it is 1.
    """
    count = len(values)
    deviations = values - values.mean() if count else values
    if not count or not np.any(deviations):
        return float(min(count, 1))
    spectrum = np.abs(np.fft.rfft(deviations, 1 << (2 * count - 1).bit_length())) ** 2  # of a prime it takes minutes
    correlations = np.fft.irfft(spectrum)[:count]
    correlations /= correlations[0]
    pairs = correlations[: count // 2 * 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    total = 2 * float(pairs[: ends[0] if len(ends) else len(pairs)].sum()) - 1
    return count / max(total, 1.0)


def least_effective_size(values: IntArray, buckets: Sequence[Bucket]) -> float:
    """The same for the shares of buckets, by the one that the walk leaves and comes back to most seldom; values: of the
    pages one after the other, shape (k,). That is what a χ² test of them asks for: where a walk stays in a corner for
    long, its degrees may change with each step and tell of many more pages than it has seen of the web.
    """
    inside = ((each.low <= values) & (values <= each.high) for each in buckets if 0 < each.sampled < 1)
    return min((effective_size(is_in.astype(np.float64)) for is_in in inside), default=float(min(len(values), 1)))


def size_by_weights(weights: FloatArray) -> float:
    """How many pages of equal weight say as much: (Σ w)² / Σ w² (Kish 1965)."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0
