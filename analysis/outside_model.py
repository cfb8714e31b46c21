"""What the pages that were not crawled probably do: each is expected to link as the crawled pages it resembles.

The estimate of Davis & Dhillon (KDD 2006) leaves the frontier out, as if nothing came back from there. Here the
frontier stays in the graph, and the rank that a frontier page receives goes on by the links of its models: crawled
pages outside the local domain that it resembles. There are four kinds of similarity, and each kind predicts by the
mean of its models, where the links of a page are a distribution, and leading nowhere is one of its outcomes:

    CLASS       models in the same class of predicted probability to lead back into the local domain
    HOST        models in the same class on the same host
    SIBLINGS    models that share a page that links to both
    NEIGHBOURS  the models on the same host that were discovered just before and just after

How much each kind counts is learnt from the crawl itself, as in interpolated language models (Jelinek & Mercer
1980): each model's links are predicted from the others', and expectation maximisation finds the weights under
which those links are most likely. The classes come from a first round with the same four kinds, in which all
models are one class. So what tells the pages that lead back from those that do not need not be known beforehand.

A policy takes the most promising pages first, so what it has taken does not resemble what it has left. Pages that
were drawn at random do, where a policy draws some (`sampling`): all others count a fifth. What this rests on, where it
fails, and what else was tried is in docs/policies.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import compiled
from analysis.crawled_graph import CrawledGraph
from analysis.graph import BoolArray, ByteArray, FloatArray, IntArray, OffsetArray, Rows
from analysis.in_parts import gathered, parts, places_where
from analysis.pagerank import DAMPING, DidNotConverge, pagerank
from analysis.return_probability import return_probabilities
from analysis.sampling import last_sampled, sampling_numbers
from analysis.similarity import KINDS, Columns, Similarity
from analysis.similarity_weights import interpolation_weights, prediction_likelihoods, prior_weights

TOLERANCE: Final = 1e-9
"""Bound of the L1 error of the ranks."""

_CHOSEN: Final = 1
_DRAWN: Final = 5
"""What a model counts that was chosen, and one that was drawn at random."""

_CLASS_BOUNDS: Final = np.geomspace(1e-5, 0.9, 40)
"""Of 40 classes, since no probability is above the damping factor."""
_BY_CLASS: Final = 1
_BY_HOST: Final = 2
_BY_SIBLINGS: Final = 4
_BY_NEIGHBOURS: Final = 8
"""Kinds of similarity as bits, in the order of their weights."""
_MAX_ITERATIONS: Final = 1000


@dataclass(frozen=True, eq=False)
class OutsideModel:
    """ranks: PageRank of all known pages, shape (n,), sums to 1. return_probabilities, shape (n,): those predicted,
    as in `return_probability`. weights: how much each kind of similarity counts, shape (4,). tolerance: bound of the L1
    error of the ranks."""

    ranks: FloatArray
    return_probabilities: FloatArray
    weights: FloatArray
    tolerance: float


_fitted: WeakKeyDictionary[CrawledGraph, OutsideModel] = WeakKeyDictionary()
"""A policy and an estimator that look at the same crawled graph share one model."""


def outside_model(
    crawled: CrawledGraph, *, start: FloatArray | None = None, tolerance: float = TOLERANCE
) -> OutsideModel:
    """Fit the model to what was crawled. start: earlier ranks, of as many of the pages as were known then;
    tolerance: what the L1 error of the ranks may be.

    While no page outside is crawled, the frontier spreads what it receives over all pages, as pages without
    links do; so do frontier pages of the local domain, which resemble no page outside. Raises DidNotConverge.
    """
    model = _fitted.get(crawled)
    if model is None or model.tolerance > tolerance:
        model = _fitted[crawled] = _fit(crawled, start if model is None else model.ranks, tolerance)
    return model


def _fit(crawled: CrawledGraph, start: FloatArray | None, tolerance: float) -> OutsideModel:
    links, n = crawled.links, crawled.page_count
    if not n:
        return OutsideModel(np.empty(0), np.empty(0), np.zeros(KINDS), tolerance)
    is_model: BoolArray = links.zeros(n, np.bool_)
    np.greater(crawled.is_crawled, crawled.is_local, out=is_model)
    if not is_model.any():
        alone = pagerank(links, start=None if start is None else _start(start, n), tolerance=tolerance)
        return OutsideModel(alone, np.zeros(n), prior_weights(), tolerance)
    model_weights = _model_weights(crawled)
    similarity = Similarity.of(crawled, is_model, model_weights, links.zeros(n, np.uint8))
    weights = interpolation_weights(prediction_likelihoods(similarity))
    probabilities = return_probabilities(similarity, weights, crawled.is_local)
    similarity = similarity.with_classes(_classes_of(probabilities, links.zeros(n, np.uint8)))
    weights = interpolation_weights(prediction_likelihoods(similarity))
    ranks: FloatArray = links.zeros(n, np.float64)
    ranks[:] = 1 / n if start is None else _start(start, n)
    room = links.zeros(n, np.float64), links.zeros(n, np.uint8), links.zeros(n, np.int32)
    iterations, error_bound = _iterate(
        similarity.columns, crawled.is_local, weights, room, ranks, DAMPING, tolerance, _MAX_ITERATIONS
    )
    if error_bound > tolerance:
        raise DidNotConverge(iterations, error_bound, tolerance)
    return OutsideModel(ranks, probabilities, weights, tolerance)


def _model_weights(crawled: CrawledGraph) -> ByteArray:
    """Shape (n,): what each model counts, less if it was chosen where others were drawn at random; 0 of other pages."""
    order, zeros = crawled.order, crawled.links.zeros
    models = gathered(order, places_where(len(order), lambda part: ~crawled.is_local[order[part]], zeros), zeros)
    weights: ByteArray = zeros(crawled.page_count, np.uint8)
    last_drawn = last_sampled(models, zeros)
    for part in parts(len(models)):
        weights[models[part]] = np.where(sampling_numbers(models[part]) <= last_drawn, _DRAWN, _CHOSEN)
    return weights


def _classes_of(probabilities: FloatArray, classes: ByteArray) -> ByteArray:
    for part in parts(len(classes)):
        classes[part] = np.searchsorted(_CLASS_BOUNDS, probabilities[part])
    return classes


def _start(start: FloatArray, n: int) -> FloatArray:
    ranks = np.full(n, 1.0 / n)
    if len(start):
        ranks[: len(start)] = start[:n]
        ranks[len(start) :] = start.min()
        ranks /= ranks.sum()
    return ranks


@compiled
def _iterate(
    columns: Columns,
    is_local: BoolArray,
    weights: FloatArray,
    room: tuple[FloatArray, ByteArray, IntArray],
    x: FloatArray,
    damping: float,
    tolerance: float,
    max_iterations: int,
) -> tuple[int, float]:
    """In place; what a frontier page holds is first handed to its models, who spread it. room: of zeros, each shape
    (n,).

    Sweeps of Gauss-Seidel: what a crawled page gains is passed on in the same sweep. Once they change little, steps of
    power iteration, whose change bounds the error, have to confirm it.
    """
    links, inlinks, pages, classes, host_classes, siblings, neighbours = columns
    n = len(x)
    # Of a crawled page: its own rank and what it spreads for others. Of a frontier page: what it gives to the siblings
    # that one page linking to it knows.
    held, kinds, parents = room
    by_class, by_host_class = np.empty(len(classes[1])), np.empty(len(host_classes[1]))
    to = held, by_class, by_host_class
    _find_predicting_kinds(columns, is_local, kinds, parents)
    predicting = kinds, parents, _shares_of_kinds(weights)
    error_bound = np.inf
    iterations = 0
    is_sweeping = True
    while error_bound > tolerance and iterations < max_iterations:
        iterations += 1
        held[:] = 0.0
        by_class[:] = 0.0
        by_host_class[:] = 0.0
        lost = _hand_to_models(pages[0], (classes[0], host_classes[0], neighbours), predicting, weights, x, to)
        _hand_to_siblings(links, pages, siblings, held)
        lost += _make_shares(links[0], pages, (classes, host_classes), damping, x, to)
        jump = (damping * lost + 1 - damping) / n
        change = _spread(links[0], inlinks, pages[0], jump, damping if is_sweeping else 0.0, held, x)
        error_bound = damping / (1 - damping) * change
        if is_sweeping and error_bound <= tolerance:
            is_sweeping = False
            error_bound = np.inf
    return iterations, error_bound


Held = tuple[FloatArray, FloatArray, FloatArray]
"""What is handed on in one sweep: to each page, to all models of a class, to all of a class on one host."""


@compiled
def _hand_to_models(
    is_crawled: BoolArray,
    models: tuple[ByteArray, IntArray, NDArray[np.int32]],
    predicting: tuple[ByteArray, IntArray, FloatArray],
    weights: FloatArray,
    x: FloatArray,
    to: Held,
) -> float:
    """Hand what frontier pages hold to their models, by kinds of similarity; what has none is lost, and is returned.
    models: by their classes, their host_classes, and the neighbours; predicting: see `_find_predicting_kinds` and
    `_shares_of_kinds`."""
    classes, host_classes, neighbours = models
    kinds, parents, shares = predicting
    held, by_class, by_host_class = to
    lost = 0.0
    for page in range(len(x)):
        if is_crawled[page]:
            continue
        share = shares[kinds[page]] * x[page]
        if share == 0:
            lost += x[page]
            continue
        if kinds[page] & _BY_CLASS:
            by_class[classes[page]] += share * weights[0]
        if kinds[page] & _BY_HOST:
            by_host_class[host_classes[page]] += share * weights[1]
        if kinds[page] & _BY_SIBLINGS:
            held[page] = share * weights[2] / parents[page]
        before, after = neighbours[page, 0], neighbours[page, 1]
        if before >= 0 and after >= 0:
            held[before] += share * weights[3] / 2
            held[after] += share * weights[3] / 2
        elif before >= 0:
            held[before] += share * weights[3]
        elif after >= 0:
            held[after] += share * weights[3]
    return lost


@compiled
def _hand_to_siblings(
    links: Rows, pages: tuple[BoolArray, BoolArray, ByteArray], siblings: IntArray, held: FloatArray
) -> None:
    """Hand on what frontier pages keep for siblings: to the models that share a page which links to both."""
    offsets, targets = links
    is_crawled, is_model, _ = pages
    for page in range(len(held)):
        if siblings[page]:
            given = 0.0
            for link in range(offsets[page], offsets[page + 1]):
                if not is_crawled[targets[link]]:
                    given += held[targets[link]]
            if given > 0:
                for link in range(offsets[page], offsets[page + 1]):
                    if is_model[targets[link]]:
                        held[targets[link]] += given / siblings[page]


@compiled
def _make_shares(
    offsets: OffsetArray,
    pages: tuple[BoolArray, BoolArray, ByteArray],
    groups: tuple[tuple[ByteArray, FloatArray], tuple[IntArray, FloatArray]],
    damping: float,
    x: FloatArray,
    to: Held,
) -> float:
    """Turn what each crawled page holds, its own rank among it, into what it gives to each of its links; what those
    without links hold is lost, and is returned."""
    is_crawled, is_model, model_weights = pages
    (classes, class_sizes), (host_classes, host_class_sizes) = groups
    held, by_class, by_host_class = to
    lost = 0.0
    for page in range(len(x)):
        if not is_crawled[page]:
            continue
        held[page] += x[page]
        if is_model[page]:
            of_class, of_host = classes[page], host_classes[page]
            held[page] += model_weights[page] * (
                by_class[of_class] / class_sizes[of_class] + by_host_class[of_host] / host_class_sizes[of_host]
            )
        outdegree = offsets[page + 1] - offsets[page]
        if outdegree:
            held[page] *= damping / outdegree
        else:
            lost += held[page]
            held[page] = 0.0
    return lost


@compiled
def _spread(
    offsets: OffsetArray,
    inlinks: Rows,
    is_crawled: BoolArray,
    jump: float,
    sweeping: float,
    held: FloatArray,
    x: FloatArray,
) -> float:
    """Let all pages have what is given to them, and return by how much that changes x in all. sweeping: the share of
    its gain that a crawled page passes on at once, the damping factor; 0 for a step of power iteration."""
    in_offsets, in_sources = inlinks
    n = len(x)
    change = 0.0
    total = 0.0
    for page in range(n):
        rank = jump
        for link in range(in_offsets[page], in_offsets[page + 1]):
            rank += held[in_sources[link]]
        gain = rank - x[page]
        if sweeping and is_crawled[page] and offsets[page + 1] > offsets[page]:
            held[page] += sweeping * gain / (offsets[page + 1] - offsets[page])
        change += abs(gain)
        total += rank
        x[page] = rank
    for page in range(n):
        x[page] /= total
    return change


@compiled
def _find_predicting_kinds(columns: Columns, is_local: BoolArray, kinds: ByteArray, parents: IntArray) -> None:
    """Of each frontier page: the kinds of similarity that predict something of it, as bits; and how many of the pages
    that link to it link to models."""
    _, inlinks, pages, of_class, of_host, siblings, neighbours = columns
    in_offsets, in_sources = inlinks
    is_crawled, _, _ = pages
    classes, class_sizes = of_class
    host_classes, host_class_sizes = of_host
    n = len(is_crawled)
    for page in range(n):
        if is_crawled[page] or is_local[page]:
            continue
        for link in range(in_offsets[page], in_offsets[page + 1]):
            parents[page] += siblings[in_sources[link]] > 0
        if class_sizes[classes[page]] > 0:
            kinds[page] |= _BY_CLASS
        if host_class_sizes[host_classes[page]] > 0:
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
