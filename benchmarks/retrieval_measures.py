"""How well known items are found: measures of ranked answers, and whether two rankings differ by more than chance.

Every query has one right answer. A ranking is the array of the positions of the right answers, shape (q,), from 1;
0 for an answer that was not found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

DRAWS = 2_000
"""The number of bootstrap samples, and of random signs."""
_CHUNK = 500


def reciprocal_rank(positions: IntArray) -> FloatArray:
    """1/position, 0 where nothing was found; its mean is the MRR (Voorhees, TREC-8 1999). Shape (q,)."""
    return np.divide(1.0, positions, out=np.zeros(len(positions)), where=positions > 0)


def success(positions: IntArray, depth: int) -> FloatArray:
    """1 where the answer is among the first `depth`, else 0. Shape (q,)."""
    return ((positions > 0) & (positions <= depth)).astype(np.float64)


def ndcg(positions: IntArray, depth: int) -> FloatArray:
    """Return 1/log₂(1 + position) among the first `depth`, otherwise 0; shape (q,).

    With one right answer the ideal gain is 1 (Järvelin & Kekäläinen, TOIS 2002).
    """
    gains = np.zeros(len(positions))
    found = (positions > 0) & (positions <= depth)
    gains[found] = 1.0 / np.log2(1.0 + positions[found])
    return gains


MEASURES: dict[str, Callable[[IntArray], FloatArray]] = {
    "MRR": reciprocal_rank,
    "nDCG@10": partial(ndcg, depth=10),
    "success@1": partial(success, depth=1),
    "success@10": partial(success, depth=10),
}
"""Name -> measure of each query, shape (q,)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and the bounds of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One ranking against another, query by query.

    difference: mean of the first minus mean of the second. p: how often random signs give as large a difference,
    two-sided. wins, losses: queries for which the first is better or worse; the others are ties.
    """

    difference: Interval
    p: float
    wins: int
    losses: int


def mean_interval(values: FloatArray, clusters: IntArray, seed: int = 0, draws: int = DRAWS) -> Interval:
    """Return the mean of values, shape (q,), with a percentile bootstrap interval.

    After Efron & Tibshirani (1993), chapter 13.

    `clusters` has shape (q,), any numbers; queries of one cluster, such as those with the same right answer, are drawn
    together. Raises ValueError without values.
    """
    sums, sizes = _cluster_sums(values, clusters)
    generator = np.random.default_rng(seed)
    means = np.empty(draws)
    for start in range(0, draws, _CHUNK):
        drawn = generator.integers(0, len(sums), (min(_CHUNK, draws - start), len(sums)))
        means[start : start + len(drawn)] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return Interval(float(values.mean()), float(low), float(high))


def compare(first: FloatArray, second: FloatArray, clusters: IntArray, seed: int = 0, draws: int = DRAWS) -> Comparison:
    """Compare two measures of the same queries in pairs, shape (q,) each.

    p is that of Fisher's randomisation test, with the signs of the differences of a cluster flipped together and the
    sample itself counted in (Smucker, Allan & Carterette, CIKM 2007). Raises ValueError without queries.
    """
    differences = first - second
    sums, _ = _cluster_sums(differences, clusters)
    generator = np.random.default_rng(seed)
    observed = abs(sums.sum())
    as_large = 1
    for start in range(0, draws, _CHUNK):
        signs = generator.integers(0, 2, (min(_CHUNK, draws - start), len(sums))) * 2 - 1
        as_large += int((np.abs(signs @ sums) >= observed - 1e-12).sum())
    return Comparison(
        mean_interval(differences, clusters, seed, draws),
        as_large / (draws + 1),
        int((differences > 0).sum()),
        int((differences < 0).sum()),
    )


def _cluster_sums(values: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    if not len(values):
        raise ValueError("there are no queries to measure")
    if values.shape != clusters.shape:
        raise ValueError(f"{values.shape} values and {clusters.shape} clusters are not parallel")
    _, places = np.unique(clusters, return_inverse=True)
    return np.bincount(places, weights=values).astype(np.float64), np.bincount(places).astype(np.float64)
