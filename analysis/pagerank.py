"""PageRank with a guaranteed error bound."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import FloatArray, Graph, IntArray, OffsetArray, Rows

DAMPING = 0.85
"""α, the probability of following a link, wherever this project computes PageRank."""

DanglingRule = Literal["preference", "uniform"]
"""Where the random surfer goes from a dangling page: to pages by preference, or to all pages equally."""

_SLOW_BAND: Final = 0.03
_SLOW_SWEEPS: Final = 2
"""How many consecutive sweeps must each leave α² ± _SLOW_BAND of the previous residual before extrapolation."""


class DidNotConverge(ArithmeticError):
    """Raised if an iteration ended before its error bound was met."""

    def __init__(self, iterations: int, error_bound: float, tolerance: float) -> None:
        """Take the number of iterations, the bound of the L1 error that was reached, and the bound that was wanted."""
        super().__init__(iterations, error_bound, tolerance)  # only these are passed between processes
        self.iterations = iterations
        self.error_bound = error_bound
        self.tolerance = tolerance

    def __str__(self) -> str:
        """Return a message that says how large the error may be and what to do."""
        return (
            f"after {self.iterations} iterations the L1 error may still be {self.error_bound:.3g}, more than"
            f" {self.tolerance:.3g}; allow more iterations or a larger tolerance"
        )


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
    """Return the PageRank of every page, shape (n,), float64, sums to 1.

    Solves x = α (Pᵀx + (d·x) u) + (1 - α) v (Page, Brin, Motwani & Winograd 1999). P is the row-normalised adjacency
    matrix, d marks pages without outlinks, v is `preference`: shape (n,), not negative, any positive sum, uniform if
    None. u is v ("preference": strongly preferential) or uniform ("uniform": weakly preferential; Boldi, Posenato,
    Santini & Vigna, WAW 2006). `start`, shape (n,), any positive sum, is where the iteration begins, such as an earlier
    result.

    Stops once a bound of the L1 distance to the solution is at most `tolerance`. Raises DidNotConverge after
    max_iterations, and ValueError for a preference or start that is not a distribution.
    """
    n = graph.page_count
    if n == 0:
        return np.empty(0)
    if not 0 <= damping < 1:
        raise ValueError(f"damping {damping} is not in [0, 1)")
    v = np.array([1 / n]) if preference is None else _distribution(preference, n, "preference")
    x: FloatArray = graph.zeros(n, np.float64)
    x[:] = v if start is None or damping == 0 else _distribution(start, n, "start")
    if damping == 0:
        return x
    if dangling == "preference" or preference is None:
        iterations, error_bound = swept(graph, x, v, damping, tolerance, max_iterations)
    else:
        inlinks, u = graph.transposed.rows, np.full(n, 1 / n)
        x, iterations, error_bound = _iterated(
            inlinks=inlinks,
            outdegrees=graph.outdegrees,
            x=x,
            v=v,
            u=u,
            damping=damping,
            tolerance=tolerance,
            max_iterations=max_iterations,
        )
    if error_bound > tolerance:
        raise DidNotConverge(iterations, error_bound, tolerance)
    return x


def _distribution(values: FloatArray, n: int, name: str) -> FloatArray:
    array: FloatArray = np.asarray(values, np.float64)
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, but the graph has {n} pages")
    total = float(array.sum())
    if not (total > 0 and np.isfinite(total) and array.min() >= 0):
        raise ValueError(f"{name} is not a distribution: its sum is {total} and its least value {array.min()}")
    return array / total


def swept(
    graph: Graph, x: FloatArray, v: FloatArray, damping: float, tolerance: float, max_iterations: int
) -> tuple[int, float]:
    """Replace x by the PageRank, and return the number of sweeps and a bound of the L1 error: see `_swept`.

    Takes 60 bytes per page and 4 per link.
    """
    n, zeros = graph.page_count, graph.zeros
    places, pages, successors_before = zeros(n, np.int32), zeros(n, np.int32), zeros(n, np.int32)
    spreading = places, pages, successors_before, zeros(n + 2, np.int64), zeros(graph.link_count, np.int32)
    workspace = zeros(n, np.float64), zeros(n, np.float64), zeros(n, np.float64), zeros(n, np.float64)
    return _swept(
        links=graph.rows,
        spreading=spreading,
        workspace=workspace,
        x=x,
        v=v,
        damping=damping,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )


Spreading = tuple[IntArray, IntArray, IntArray, OffsetArray, IntArray]
"""The arrays that `_fill_spreading` fills in: places, pages, successors_before, offsets and sources."""


@compiled
def _fill_spreading(out_offsets: OffsetArray, targets: IntArray, spreading: Spreading) -> int:
    """Fill in the graph of the m pages with outlinks, and return m; all arrays start as zeros.

    `pages` are these pages, ascending, and `places` the position of each in that list, counted from 1. `offsets`, shape
    (m + 2,), and `sources` are the transposed links among them, numbered by position from 0. `successors_before`, shape
    (m,), counts for each of these pages how many of its successors have a lower position. The rest of the arrays is
    unchanged.
    """
    places, pages, successors_before, offsets, sources = spreading
    n = len(out_offsets) - 1
    size = 0
    for page in range(n):
        if out_offsets[page + 1] > out_offsets[page]:
            pages[size] = page
            size += 1
            places[page] = size
    for target in targets:
        if places[target]:
            offsets[places[target] + 1] += 1
    for i in range(size):
        offsets[i + 2] += offsets[i + 1]
    # offsets[i + 1] is where the next source of i goes, and in the end where its sources end.
    for i in range(size):
        for link in range(out_offsets[pages[i]], out_offsets[pages[i] + 1]):
            place = places[targets[link]]
            if place:
                sources[offsets[place]] = i
                offsets[place] += 1
                if place <= i:
                    successors_before[i] += 1
    return size


@compiled
def _swept(
    links: Rows,
    spreading: Spreading,
    workspace: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    x: FloatArray,
    v: FloatArray,
    damping: float,
    tolerance: float,
    max_iterations: int,
) -> tuple[int, float]:
    """Replace x by the PageRank, and return the number of sweeps and a bound of the L1 error.

    From dangling pages the surfer jumps as from all other pages (u = v), and α is positive. v has shape (n,), or (1,)
    if uniform.

    Then x is y = α Pᵀy + (1 - α) v scaled to sum to 1, since what dangling pages pass on only adds to v. No equation
    uses the y of dangling pages, so it is computed once, at the end (Langville & Meyer, "A Reordering for the PageRank
    Problem", SIAM J. Sci. Comput. 2006). For the other pages the system is solved by Gauss-Seidel sweeps over their own
    rows, which take 4 bytes per link among them in addition to the graph.

    The residual of a sweep is what pages passed on to pages that had been computed earlier in it: in L1 at most r, the
    sum over all pages of the change of what a page gives each successor, times the number of successors before it. So y
    is off by at most e = r / (1 - α), and y / |y| by at most 2 e / |y|. The sum of all rows is |y| = α (sum over the
    pages not dangling) + 1 - α, up to r.
    """
    n = len(x)
    step = 1 if len(v) == n else 0
    out_offsets, targets = links
    size = _fill_spreading(out_offsets, targets, spreading)
    _, pages, successors_before, offsets, sources = spreading
    jumps, weights, shares, last_shares = workspace  # shares: what a page gives each successor
    dangling = 0.0
    for page in range(n):
        if out_offsets[page + 1] == out_offsets[page]:
            dangling += x[page]
    scale = (1 - damping) / (damping * dangling + 1 - damping)  # |y|, were x the solution
    for i in range(size):
        page = pages[i]
        jumps[i] = (1 - damping) * v[page * step]
        weights[i] = damping / (out_offsets[page + 1] - out_offsets[page])
        shares[i] = weights[i] * scale * x[page]
    error_bound = np.inf
    iterations = 0
    last_residual = np.inf
    last_ratio = 0.0
    slow = damping * damping
    alike = 0
    may_extrapolate = True
    promised = np.inf  # the residual that a sweep would have left without the extrapolation before it
    while error_bound > tolerance and iterations < max_iterations:
        iterations += 1
        residual = 0.0
        total = 0.0
        for i in range(size):
            rank = jumps[i]
            for link in range(offsets[i], offsets[i + 1]):
                rank += shares[sources[link]]
            total += rank
            share = weights[i] * rank
            residual += abs(share - shares[i]) * successors_before[i]
            last_shares[i] = shares[i]
            shares[i] = share
        least = damping * total + 1 - damping - residual
        error_bound = 2 * residual / ((1 - damping) * least) if least > 0 else np.inf
        # The error of two pages that only link to each other shrinks by α² in a sweep. Once the whole error shrinks
        # at that rate, it consists of such pairs, and the geometric series is summed up. An error that also changes
        # its sign, as on some longer cycles, would grow with every extrapolation: then there are no more of them.
        may_extrapolate &= residual <= promised
        promised = np.inf
        ratio = residual / last_residual
        is_slow = abs(ratio - slow) < _SLOW_BAND and abs(last_ratio - slow) < _SLOW_BAND
        alike = alike + 1 if is_slow else 0
        last_residual, last_ratio = residual, ratio
        if alike == _SLOW_SWEEPS and may_extrapolate and error_bound > tolerance:
            for i in range(size):
                shares[i] += slow / (1 - slow) * (shares[i] - last_shares[i])
            alike = 0
            promised = slow * residual
            last_residual, last_ratio = np.inf, 0.0
    _fill_in(out_offsets=out_offsets, targets=targets, pages=pages[:size], shares=shares, damping=damping, v=v, x=x)
    return iterations, error_bound


@compiled
def _fill_in(
    out_offsets: OffsetArray,
    targets: IntArray,
    pages: IntArray,
    shares: FloatArray,
    damping: float,
    v: FloatArray,
    x: FloatArray,
) -> None:
    """Compute the PageRank x of every page from that of the pages with outlinks, in place; scale x to sum to 1.

    `pages` are the pages with outlinks, and `shares` is the rank that each of them gives to every successor. v is the
    distribution of the jumps, shape (n,), or (1,) if it is uniform.
    """
    n = len(x)
    step = 1 if len(v) == n else 0
    for page in range(n):
        x[page] = (1 - damping) * v[page * step]
    for i in range(len(pages)):
        for link in range(out_offsets[pages[i]], out_offsets[pages[i] + 1]):
            x[targets[link]] += shares[i]  # not read for pages with outlinks
    total = 0.0
    for page in range(n):
        if out_offsets[page + 1] == out_offsets[page]:
            total += x[page]
    for i in range(len(pages)):
        page = pages[i]
        x[page] = shares[i] * ((out_offsets[page + 1] - out_offsets[page]) / damping)
        total += x[page]
    for page in range(n):
        x[page] /= total


@compiled
def _iterated(
    inlinks: Rows,
    outdegrees: IntArray,
    x: FloatArray,
    v: FloatArray,
    u: FloatArray,
    damping: float,
    tolerance: float,
    max_iterations: int,
) -> tuple[FloatArray, int, float]:
    """Return the PageRank by power iteration, for any u, the number of iterations, and a bound of the L1 error.

    The bound is α/(1-α) times the last change.
    """
    in_offsets, in_sources = inlinks
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
        # The sum stays 1 up to rounding errors, which must not accumulate.
        for page in range(n):
            x[page] /= total
        error_bound = damping / (1 - damping) * change
    return x, iterations, error_bound
