"""PageRank, to a stated bound of the error."""

from __future__ import annotations

from typing import Literal

import numpy as np

from analysis.compiled import compiled
from analysis.graph import FloatArray, Graph, IntArray, OffsetArray

DAMPING = 0.85
"""α, the probability of following a link, in everything this project computes."""

DanglingRule = Literal["preference", "uniform"]


class DidNotConverge(ArithmeticError):
    """An iteration ended before its error bound was met."""

    def __init__(self, iterations: int, error_bound: float, tolerance: float) -> None:
        super().__init__(
            f"after {iterations} iterations the L1 error may still be {error_bound:.3g}, more than {tolerance:.3g};"
            " allow more iterations or a larger tolerance"
        )
        self.iterations = iterations
        self.error_bound = error_bound


def pagerank(
    graph: Graph,
    *,
    damping: float = DAMPING,
    preference: FloatArray | None = None,
    dangling: DanglingRule = "preference",
    start: FloatArray | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 1000,
) -> FloatArray:
    """PageRank of every page, shape (n,), float64, sums to 1.

    Solves x = α (Pᵀx + (d·x) u) + (1 - α) v (Page, Brin, Motwani & Winograd 1999). P is the row-normalised
    adjacency, d marks pages without outlinks, v is `preference`: shape (n,), not negative, any positive sum,
    uniform if None. u is v ("preference": strongly preferential) or uniform ("uniform": weakly preferential;
    Boldi, Posenato, Santini & Vigna, WAW 2006). `start`, shape (n,), is where the iteration begins, such as an
    earlier result; any positive sum.

    Ends once a bound of the L1 distance to the solution is at most `tolerance`. Raises DidNotConverge after
    max_iterations, ValueError for a preference or start that is no distribution.
    """
    n = graph.page_count
    if n == 0:
        return np.empty(0)
    if not 0 <= damping < 1:
        raise ValueError(f"damping {damping} is not in [0, 1)")
    v = np.full(n, 1 / n) if preference is None else _distribution(preference, n, "preference")
    x = v.copy() if start is None else _distribution(start, n, "start")
    inlinks = graph.transposed
    if dangling == "preference" or preference is None:
        x, iterations, error_bound = _swept(
            inlinks.offsets, inlinks.targets, graph.outdegrees, x, v, damping, tolerance, max_iterations
        )
    else:
        u = np.full(n, 1 / n)
        x, iterations, error_bound = _iterated(
            inlinks.offsets, inlinks.targets, graph.outdegrees, x, v, u, damping, tolerance, max_iterations
        )
    if error_bound > tolerance:
        raise DidNotConverge(iterations, error_bound, tolerance)
    return x


def _distribution(values: FloatArray, n: int, name: str) -> FloatArray:
    array: FloatArray = np.asarray(values, np.float64)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, the graph {n} pages")
    total = float(array.sum())
    if not (total > 0 and np.isfinite(total) and array.min() >= 0):
        raise ValueError(f"{name} sums to {total} with a least value of {array.min()}: not a distribution")
    return array / total


@compiled
def _swept(
    in_offsets: OffsetArray,
    in_sources: IntArray,
    outdegrees: IntArray,
    x: FloatArray,
    v: FloatArray,
    damping: float,
    tolerance: float,
    max_iterations: int,
) -> tuple[FloatArray, int, float]:
    """x, sweeps done, bound of the L1 error, where dangling pages jump as all others do (u = v).

    Then x is y = α Pᵀy + (1 - α) v scaled to sum to 1, since what dangling pages give away only adds to v. That
    system is solved by Gauss-Seidel sweeps. With α Pᵀ = L + U, the part already updated in a sweep and the rest,
    the residual after one is U times its change, and |U| <= α in the L1 norm; so y is off by at most
    e = α/(1-α) · change, and y / |y| by at most 2 e / |y|. A sweep reads 4 bytes a link in order and 8 at random,
    as a power iteration does, but passes over the pages once.
    """
    n = len(x)
    shares = np.zeros(n)
    weights = np.zeros(n)
    dangling = 0.0
    for page in range(n):
        if not outdegrees[page]:
            dangling += x[page]
    scale = (1 - damping) / (damping * dangling + 1 - damping)  # |y|, were x the solution
    for page in range(n):
        x[page] *= scale
        if outdegrees[page]:
            weights[page] = damping / outdegrees[page]
            shares[page] = weights[page] * x[page]
    error_bound = np.inf
    iterations = 0
    total = scale
    while error_bound > tolerance and iterations < max_iterations:
        iterations += 1
        change = 0.0
        total = 0.0
        for page in range(n):
            rank = (1 - damping) * v[page]
            for link in range(in_offsets[page], in_offsets[page + 1]):
                rank += shares[in_sources[link]]
            change += abs(rank - x[page])
            total += rank
            x[page] = rank
            shares[page] = weights[page] * rank
        error_bound = 2 * damping / (1 - damping) * change / total
    for page in range(n):
        x[page] /= total
    return x, iterations, error_bound


@compiled
def _iterated(
    in_offsets: OffsetArray,
    in_sources: IntArray,
    outdegrees: IntArray,
    x: FloatArray,
    v: FloatArray,
    u: FloatArray,
    damping: float,
    tolerance: float,
    max_iterations: int,
) -> tuple[FloatArray, int, float]:
    """x, iterations done, bound of the L1 error, by power iteration, for any u: α/(1-α) · (last change)."""
    n = len(x)
    shares = np.empty(n)
    error_bound = np.inf
    iterations = 0
    while error_bound > tolerance and iterations < max_iterations:
        iterations += 1
        lost = 0.0
        for page in range(n):
            if outdegrees[page]:
                shares[page] = damping * x[page] / outdegrees[page]
            else:
                lost += x[page]
        change = 0.0
        total = 0.0
        for page in range(n):
            rank = damping * lost * u[page] + (1 - damping) * v[page]
            for link in range(in_offsets[page], in_offsets[page + 1]):
                rank += shares[in_sources[link]]
            change += abs(rank - x[page])
            total += rank
            x[page] = rank
        # The sum stays 1 but for rounding, which is not left to add up.
        for page in range(n):
            x[page] /= total
        error_bound = damping / (1 - damping) * change
    return x, iterations, error_bound
