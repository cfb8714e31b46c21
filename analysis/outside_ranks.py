"""PageRank where frontier pages hand what they hold to the crawled pages that they resemble.

What a frontier page holds goes to its models, by the kinds of similarity, and these spread it by their links beside
their own rank. All of that happens in one pass over the links: a page collects from the pages that link to it, and
where it is a frontier page, it leaves with each of these what is for its siblings, their other links.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.compiled import compiled
from analysis.graph import ByteArray, FloatArray
from analysis.pagerank import DAMPING, DidNotConverge
from analysis.similarity import Columns, Similarity

_BY_CLASS: Final = 1
_BY_HOST: Final = 2
_BY_SIBLINGS: Final = 4
_BY_NEIGHBOURS: Final = 8
"""Kinds of similarity as bits, in the order of their weights."""
_MAX_SWEEPS: Final = 1000
_BEGINNING: Final = 2
"""So many sweeps compute nothing: they hand on what there is at the beginning."""


_GIVING: Final = 0
_FOR_MODELS: Final = 1
_OF_MODEL: Final = 2
_FROM_NEIGHBOURS: Final = 3
"""What crawled pages hand on, by places, shape (ℓ, 4): what each page it links to is given, or what it loses if it has
no links; what each model it links to is given for the frontier pages it links to; one over the number of these models;
what the frontier pages beside it give it. Together, so that one look at the memory brings all of it."""
Sums = tuple[FloatArray, FloatArray]
"""What the frontier pages of each class hold for its models, and those of each class on one host."""


def sweep_until(similarity: Similarity, weights: FloatArray, ranks: FloatArray, tolerance: float) -> float:
    """Make these ranks, shape (n,), sum 1, those of the model. weights: how much each kind of similarity counts, shape
    (4,). Ends when the L1 error of all ranks, and that of the shares that local pages have of their sum, is at most the
    tolerance; returns a bound of the larger. Raises DidNotConverge.

    Sweeps of Gauss-Seidel: what a page gains is passed on at once. The ranks solve x = Mx + b, where no column of M
    sums to more than α. What a sweep leaves as the residual is what pages gave anew to pages that had been computed
    before, at most α times the change c of all pages in it. So after it the error is at most e = α c / (1 - α). To
    scale them by s to sum 1 adds |1 - s| (1 - α) to the residual. The shares are off by at most 2 e over the sum of
    local ranks.
    """
    zeros, size = similarity.links.zeros, len(similarity.crawled)
    kinds = zeros(len(ranks), np.uint8)
    _find_predicting_kinds(similarity.columns, kinds)
    predicting = kinds, _shares_of_kinds(weights)
    handed: FloatArray = zeros(4 * size, np.float64).reshape(size, 4)
    np.divide(1.0, similarity.siblings, out=handed[:, _OF_MODEL], where=similarity.siblings > 0)
    sums = np.zeros(len(similarity.class_sizes)), np.zeros(len(similarity.host_class_sizes))
    columns, lost, scale, error_bound = similarity.columns, 0.0, 0.0, np.inf
    for sweep in range(-_BEGINNING, _MAX_SWEEPS):
        change, lost, total, local = _sweep(
            columns, weights, predicting, handed, sums, ranks, lost, scale, DAMPING, sweep < 0
        )
        scale = 1 / total
        lost *= scale
        for each in (*sums, handed[:, _GIVING], handed[:, _FOR_MODELS], handed[:, _FROM_NEIGHBOURS]):
            each *= scale
        if sweep > 0:
            error_bound = DAMPING / (1 - DAMPING) * change * scale + abs(1 - scale)
            if local:
                error_bound *= max(1.0, 2 / (local * scale))
        if error_bound <= tolerance:
            ranks *= scale
            return error_bound
    raise DidNotConverge(_MAX_SWEEPS, error_bound, tolerance)


@compiled
def _sweep(
    columns: Columns,
    weights: FloatArray,
    predicting: tuple[ByteArray, FloatArray],
    handed: FloatArray,
    sums: Sums,
    x: FloatArray,
    lost: float,
    scale: float,
    damping: float,
    is_beginning: bool,
) -> tuple[float, float, float, float]:
    """All pages once, in place. scale: the ranks before are so many times x. lost: what those of them hold that lead
    nowhere. Returns by how much they changed in all, what is lost now, and what all pages and what the local
    ones hold. At the beginning ranks stay as they are."""
    links, (in_offsets, in_sources), pages, of_class, of_host, (_, parents), neighbours = columns
    is_crawled, is_local, is_model, model_weights = pages
    (classes, class_sizes), (host_classes, host_class_sizes) = of_class, of_host
    kinds, shares = predicting
    for_class, for_host_class = sums
    offsets, n = links[0], len(x)
    change, total, local = 0.0, 0.0, 0.0
    place = -1
    for page in range(n):
        rank = x[page]
        if not is_beginning:
            rank = (1 - damping + damping * lost) / n
            for link in range(in_offsets[page], in_offsets[page + 1]):
                rank += handed[in_sources[link], _GIVING]
        gain = rank - scale * x[page]
        change += abs(gain)
        total += rank
        local += rank * is_local[page]
        x[page] = rank
        if not is_crawled[page]:
            share = shares[kinds[page]] * gain
            if shares[kinds[page]] == 0:
                lost += gain
                continue
            if kinds[page] & _BY_CLASS:
                for_class[classes[page]] += share * weights[0]
            if kinds[page] & _BY_HOST:
                for_host_class[host_classes[page]] += share * weights[1]
            if kinds[page] & _BY_SIBLINGS:
                each = share * weights[2] / parents[page]
                for link in range(in_offsets[page], in_offsets[page + 1]):
                    parent = in_sources[link]
                    handed[parent, _FOR_MODELS] += each * handed[parent, _OF_MODEL]
            before, after = neighbours[page, 0], neighbours[page, 1]
            each = share * weights[3] / (1 + (before >= 0 and after >= 0))
            if before >= 0:
                handed[before, _FROM_NEIGHBOURS] += each
            if after >= 0:
                handed[after, _FROM_NEIGHBOURS] += each
            continue
        place += 1
        held = rank
        if is_model[page]:
            for link in range(in_offsets[page], in_offsets[page + 1]):
                held += handed[in_sources[link], _FOR_MODELS]
            of_classes = for_class[classes[page]] / class_sizes[classes[page]]
            of_classes += for_host_class[host_classes[page]] / host_class_sizes[host_classes[page]]
            held += model_weights[page] * of_classes + handed[place, _FROM_NEIGHBOURS]
        outdegree = offsets[page + 1] - offsets[page]
        if outdegree:
            handed[place, _GIVING] = damping * held / outdegree
        else:
            lost += held - handed[place, _GIVING]
            handed[place, _GIVING] = held
    return change, lost, total, local


@compiled
def _find_predicting_kinds(columns: Columns, kinds: ByteArray) -> None:
    """Of each frontier page outside: the kinds of similarity that predict something of it, as bits."""
    _, _, pages, (classes, class_sizes), (host_classes, sizes), (_, parents), neighbours = columns
    is_crawled, is_local, _, _ = pages
    for page in range(len(kinds)):
        if is_crawled[page] or is_local[page]:
            continue
        if class_sizes[classes[page]] > 0:
            kinds[page] |= _BY_CLASS
        if sizes[host_classes[page]] > 0:
            kinds[page] |= _BY_HOST
        if parents[page]:
            kinds[page] |= _BY_SIBLINGS
        if neighbours[page, 0] >= 0 or neighbours[page, 1] >= 0:
            kinds[page] |= _BY_NEIGHBOURS


@compiled
def _shares_of_kinds(weights: FloatArray) -> FloatArray:
    """One over the weights of some kinds, by their bits; 0 where these weigh nothing."""
    shares = np.zeros(1 << len(weights))
    for kinds in range(len(shares)):
        total = 0.0
        for kind in range(len(weights)):
            if kinds >> kind & 1:
                total += weights[kind]
        if total > 0:
            shares[kinds] = 1 / total
    return shares
