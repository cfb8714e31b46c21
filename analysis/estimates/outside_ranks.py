"""PageRank where frontier pages pass on their rank to the crawled pages that they resemble.

A frontier page divides its rank among its models, according to the weights of the kinds of similarity. The models
spread this rank along their links together with their own rank.

One pass over the links does all of this. A page collects rank from the pages that link to it. Two pages are siblings if
some page links to both. So a frontier page leaves the part of its rank that its siblings shall get with each page that
links to it; that page passes it on to the siblings.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.estimates.similarity import Columns, Similarity
from hinterland.analysis.graph import ByteArray, FloatArray, IntArray
from hinterland.analysis.pagerank import DAMPING, DidNotConverge

_BY_CLASS: Final = 1
_BY_HOST: Final = 2
_BY_SIBLINGS: Final = 4
_BY_NEIGHBOURS: Final = 8
"""The kinds of similarity as bits, in the order of their weights."""
_MAX_SWEEPS: Final = 1000
_SLOW: Final = DAMPING * DAMPING
_SLOW_BAND: Final = 0.03
"""The error in pairs of pages that link only to each other shrinks by the factor α² in each sweep. If each of two
sweeps has left about that part of the error, only such pairs still contribute to it, so the rest of the series is
extrapolated. If that fails to help, it is not tried again.
"""

_GIVING: Final = 0
_FOR_MODELS: Final = 1
"""The columns of an array of shape (ℓ, 2), with a row for each crawled page: the rank that it gives to each page it
links to, and the rank that frontier pages it links to have deposited for all models it links to. They are adjacent so
that one memory access fetches both.
"""
Handed = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""The array of _GIVING and _FOR_MODELS; the rank that each crawled page is given as a model by its neighbours in the
frontier, shape (ℓ,); and the rank that the frontier pages of each class, and of each class on one host, give to their
models.
"""


class ErrorBounds(NamedTuple):
    """Bounds of two L1 errors: of all ranks, and of the crawled local pages' ranks after scaling these to sum to 1."""

    of_ranks: float
    of_local_shares: float

    def wanted(self, *, of_local_shares: bool) -> float:
        """Return the bound for the scaled ranks of local pages with `of_local_shares`, else that for all ranks."""
        return self.of_local_shares if of_local_shares else self.of_ranks


def sweep_until(
    similarity: Similarity, weights: FloatArray, ranks: FloatArray, tolerance: float, *, of_local_shares: bool
) -> ErrorBounds:
    """Replace the ranks, shape (n,), sum 1, by the ranks of the model. Their error is at most the tolerance.

    `of_local_shares` says which error is meant; see `ErrorBounds.wanted`. `weights` holds the weights of the four kinds
    of similarity, shape (4,). Raises DidNotConverge.

    The ranks are the solution of y = My + (1 - α)/n, scaled to sum to 1: rank that leads nowhere only adds to the jumps
    (see `analysis.pagerank`). Frontier pages without a prediction lead nowhere, so they are computed only once, at the
    end. The sweeps are Gauss-Seidel: what a page gains is passed on in the same sweep, and frontier pages come first.
    No column of M sums to more than α. The residual of a sweep is what pages passed on to pages that had been computed
    earlier in it, at most α times the change c of all pages. So after the sweep y is off by at most e = α c / (1 - α),
    and some pages' shares of their sum s by at most 2 e / s.
    """
    sweeps = _Sweeps(similarity, weights, ranks)
    last, last_ratio, promised, may_extrapolate = np.inf, 0.0, np.inf, True
    for _ in range(_MAX_SWEEPS):
        sweeps.sweep()
        error_bound = sweeps.error_bounds.wanted(of_local_shares=of_local_shares)
        if error_bound <= tolerance:
            sweeps.finish()
            return sweeps.error_bounds
        may_extrapolate &= error_bound <= promised
        promised = np.inf
        ratio = error_bound / last
        is_slow = abs(ratio - _SLOW) < _SLOW_BAND and abs(last_ratio - _SLOW) < _SLOW_BAND
        last, last_ratio = error_bound, ratio
        if is_slow and may_extrapolate:
            sweeps.extrapolate()
            promised = _SLOW * _SLOW * last
            last, last_ratio = np.inf, 0.0
    raise DidNotConverge(_MAX_SWEEPS, last, tolerance)


class _Sweeps:
    """The state of the sweeps: y, kept in the array of the ranks, and the rank that pages are passing on. Mutable."""

    def __init__(self, similarity: Similarity, weights: FloatArray, ranks: FloatArray) -> None:
        """Start from the given ranks, which pages begin to pass on. Nothing is changed yet."""
        zeros, size = similarity.links.zeros, len(similarity.crawled)
        self.error_bounds = ErrorBounds(np.inf, np.inf)
        self._ranks, self._columns, self._crawled = ranks, similarity.columns, similarity.crawled
        self._jump, self._scale = (1 - DAMPING) / len(ranks), 0.0
        kinds, shares = zeros(len(ranks), np.uint8), _shares_of_kinds(weights)
        self._predicting, self._unpredicted = (kinds, weights, shares), zeros(size, np.int32)
        self._unpredicted_count = _find_predicting_kinds(self._columns, shares, kinds, self._unpredicted)
        of_pages: FloatArray = zeros(2 * size, np.float64).reshape(size, 2)
        sums = np.zeros(len(similarity.class_sizes)), np.zeros(len(similarity.host_class_sizes))
        self._handed = of_pages, zeros(size, np.float64), *sums
        self._giving, self._gave = of_pages[:, _GIVING], zeros(size, np.float64)  # now, and before the last sweep
        _, held, _, lost, _ = self._swept(collects=False)
        self._rescale(held, lost, 1 - held)

    def sweep(self) -> None:
        """Do one sweep, and update the error bounds."""
        change, held, local, lost, to_unpredicted = self._swept(collects=True)
        error = 2 * DAMPING / (1 - DAMPING) * change
        self.error_bounds = ErrorBounds(error / held, error / (local or held))
        self._rescale(held, lost, self._unpredicted_count * self._jump + to_unpredicted)

    def extrapolate(self) -> None:
        """Extrapolate what pages give, whose changes form a geometric series, and then do one sweep.

        The error bounds are not valid after this sweep.
        """
        self._gave -= self._giving
        self._gave *= -_SLOW / (1 - _SLOW)
        self._giving += self._gave
        self.sweep()

    def finish(self) -> None:
        """Turn y into ranks, in place: add the pages without a prediction, and scale to sum 1."""
        _fill_in(self._columns, self._predicting[0], self._handed[0], self._ranks, self._jump)
        self._ranks /= self._ranks.sum()

    def _swept(self, *, collects: bool) -> tuple[float, float, float, float, float]:
        """Sweep over all pages with a prediction and over all crawled pages, and return the values of `_sweep_crawled`.

        Without `collects`, pages pass on the rank that they have, but collect none.
        """
        how = self._handed, self._ranks, self._scale, self._jump, collects
        of_frontier = _sweep_frontier(self._columns, self._predicting, *how)
        crawled = self._crawled, self._unpredicted, self._gave
        change, held, local, lost, given = _sweep_crawled(self._columns, crawled, *how)
        return change + of_frontier[0], held + of_frontier[1], local, lost, given

    def _rescale(self, held: float, lost: float, unpredicted: float) -> None:
        """Scale y so that the sum of all equations is fulfilled.

        `held` is the rank of crawled pages and of pages with a prediction, and `lost` the part of it that leads
        nowhere. `unpredicted` is the rank of all other pages.
        """
        self._scale = (1 - DAMPING) / ((1 - DAMPING) * held + DAMPING * lost + unpredicted)
        for each in self._handed:
            each *= self._scale


@compiled
def _sweep_frontier(
    columns: Columns,
    predicting: tuple[ByteArray, FloatArray, FloatArray],
    handed: Handed,
    y: FloatArray,
    scale: float,
    jump: float,
    collects: bool,
) -> tuple[float, float]:
    """Sweep over all frontier pages with a prediction, in place.

    `predicting` holds the result of `_find_predicting_kinds`, the weights of the kinds, and the result of
    `_shares_of_kinds`. `handed` is what pages pass on; it was computed from y before this sweep, multiplied by `scale`.
    Returns the total change, and the rank that these pages hold.
    """
    _, (in_offsets, in_sources), (is_crawled, _, _, _), (classes, _), (host_classes, _), (_, parents), near = columns
    kinds, weights, shares = predicting
    of_pages, from_neighbours, of_classes, of_host_classes = handed
    change, held = 0.0, 0.0
    for page in range(len(y)):
        if is_crawled[page] or kinds[page] == 0:
            continue
        rank = y[page]
        if collects:
            rank = jump
            for link in range(in_offsets[page], in_offsets[page + 1]):
                rank += of_pages[in_sources[link], _GIVING]
        gain = rank - scale * y[page]
        change += abs(gain)
        held += rank
        y[page] = rank
        share = shares[kinds[page]] * gain
        if kinds[page] & _BY_CLASS:
            of_classes[classes[page]] += share * weights[0]
        if kinds[page] & _BY_HOST:
            of_host_classes[host_classes[page]] += share * weights[1]
        if kinds[page] & _BY_SIBLINGS:
            each = share * weights[2] / parents[page]
            for link in range(in_offsets[page], in_offsets[page + 1]):
                of_pages[in_sources[link], _FOR_MODELS] += each
        before, after = near[page, 0], near[page, 1]
        each = share * weights[3] / (1 + (before >= 0 and after >= 0))
        if before >= 0:
            from_neighbours[before] += each
        if after >= 0:
            from_neighbours[after] += each
    return change, held


@compiled
def _sweep_crawled(
    columns: Columns,
    by_places: tuple[IntArray, IntArray, FloatArray],
    handed: Handed,
    y: FloatArray,
    scale: float,
    jump: float,
    collects: bool,
) -> tuple[float, float, float, float, float]:
    """Sweep over all crawled pages, in place.

    `by_places` is three arrays for these pages: their numbers, to how many pages without a prediction each of them
    links, and space for what each of them gave before this sweep.

    Returns the total change, and four ranks: what crawled pages hold; the part of it that local pages hold; what pages
    without links would pass on, including the rank of frontier pages whose models they are; and what was given to pages
    without a prediction.
    """
    (offsets, _), (in_offsets, in_sources), pages, of_class, of_host, (siblings, _), _ = columns
    _, is_local, is_model, model_weights = pages
    (classes, class_sizes), (host_classes, host_class_sizes) = of_class, of_host
    crawled, unpredicted, gave = by_places
    of_pages, from_neighbours, of_classes, of_host_classes = handed
    change, held, local, lost, to_unpredicted = 0.0, 0.0, 0.0, 0.0, 0.0
    for place in range(len(crawled)):
        page = crawled[place]
        rank = y[page]
        if collects:
            rank = jump
            for link in range(in_offsets[page], in_offsets[page + 1]):
                rank += of_pages[in_sources[link], _GIVING]
        change += abs(rank - scale * y[page])
        held += rank
        local += rank * is_local[page]
        y[page] = rank
        spread = rank
        if is_model[page]:
            for link in range(in_offsets[page], in_offsets[page + 1]):
                spread += of_pages[in_sources[link], _FOR_MODELS] / siblings[in_sources[link]]
            for_class = of_classes[classes[page]] / class_sizes[classes[page]]
            for_class += of_host_classes[host_classes[page]] / host_class_sizes[host_classes[page]]
            spread += model_weights[page] * for_class + from_neighbours[place]
        outdegree = offsets[page + 1] - offsets[page]
        if outdegree:
            gave[place] = of_pages[place, _GIVING]
            of_pages[place, _GIVING] = DAMPING * spread / outdegree
            to_unpredicted += unpredicted[place] * of_pages[place, _GIVING]
        else:
            lost += spread
    return change, held, local, lost, to_unpredicted


@compiled
def _fill_in(columns: Columns, kinds: ByteArray, of_pages: FloatArray, y: FloatArray, jump: float) -> None:
    """Compute y of the frontier pages that have no prediction, in place."""
    _, (in_offsets, in_sources), (is_crawled, _, _, _), _, _, _, _ = columns
    for page in range(len(y)):
        if not (is_crawled[page] or kinds[page]):
            y[page] = jump
            for link in range(in_offsets[page], in_offsets[page + 1]):
                y[page] += of_pages[in_sources[link], _GIVING]


@compiled
def _find_predicting_kinds(columns: Columns, shares: FloatArray, kinds: ByteArray, unpredicted: IntArray) -> int:
    """Fill in, for each external frontier page, the kinds of similarity that predict it, as bits.

    Also fill in `unpredicted`: for each crawled page, the number of frontier pages without a prediction to which it
    links. Returns how many frontier pages have no prediction. Both arrays start as zeros.
    """
    _, (in_offsets, in_sources), pages, (classes, class_sizes), (host_classes, sizes), (_, parents), near = columns
    is_crawled, is_local, _, _ = pages
    count = 0
    for page in range(len(kinds)):
        if is_crawled[page]:
            continue
        if not is_local[page]:
            if class_sizes[classes[page]] > 0:
                kinds[page] |= _BY_CLASS
            if sizes[host_classes[page]] > 0:
                kinds[page] |= _BY_HOST
            if parents[page]:
                kinds[page] |= _BY_SIBLINGS
            if near[page, 0] >= 0 or near[page, 1] >= 0:
                kinds[page] |= _BY_NEIGHBOURS
        if shares[kinds[page]] == 0:
            kinds[page] = 0
            count += 1
            for link in range(in_offsets[page], in_offsets[page + 1]):
                unpredicted[in_sources[link]] += 1
    return count


@compiled
def _shares_of_kinds(weights: FloatArray) -> FloatArray:
    """Return 1 / (total weight) for every set of kinds, indexed by the bits of the set; 0 where the weight is 0."""
    shares = np.zeros(1 << len(weights))
    for kinds in range(len(shares)):
        total = 0.0
        for kind in range(len(weights)):
            if kinds >> kind & 1:
                total += weights[kind]
        if total > 0:
            shares[kinds] = 1 / total
    return shares
