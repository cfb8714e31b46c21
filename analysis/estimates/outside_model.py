"""A model of the pages that were not crawled: each is expected to link like the crawled pages it resembles.

The estimate of Davis & Dhillon (KDD 2006) omits the frontier, as if no frontier page linked back. Here the frontier
stays in the graph, and the rank that a frontier page receives is passed on along the links of its models: the crawled
external pages that it resembles. There are four kinds of similarity. The links of a page are a distribution, in which
"no links" is one of the outcomes, and each kind predicts the mean of its models' distributions:

    CLASS       models in the same class of predicted probability to lead back into the local domain
    HOST        models in the same class on the same host
    SIBLINGS    models that share a page that links to both
    NEIGHBOURS  the models on the same host that were discovered just before and just after

The weight of each kind is learnt from the crawl itself, like the weights of interpolated language models (Jelinek &
Mercer 1980): each model's links are predicted from the links of the other models, and expectation maximisation finds
the weights under which the actual links are most likely. The classes come from a first round with the same four kinds,
in which all models form one class. So nobody needs to know in advance which features distinguish the pages that lead
back.

A policy fetches the most promising pages first, so fetched pages differ from the remaining pages. If the policy also
draws some pages at random (`sampling`), the drawn pages are representative. All other models then get a fifth of the
weight of a drawn page. docs/estimates.md states the assumptions, where they fail, and what else was tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import chunks, gathered, places_where
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.outside_ranks import ErrorBounds, sweep_until
from hinterland.analysis.estimates.return_probability import return_probabilities
from hinterland.analysis.estimates.similarity import KINDS, Similarity
from hinterland.analysis.estimates.similarity_weights import (
    Likelihoods,
    in_other_classes,
    interpolation_weights,
    prediction_likelihoods,
    prior_weights,
)
from hinterland.analysis.graph import BoolArray, ByteArray, FloatArray
from hinterland.analysis.pagerank import pagerank
from hinterland.analysis.sampling import last_sampled, sampling_numbers

TOLERANCE: Final = 1e-9
"""Bound of the L1 error of the local pages' shares of their total rank."""

_CHOSEN: Final = 1
_DRAWN: Final = 5
"""The weights of a model that the policy chose and of a model that was drawn at random."""

_CLASS_BOUNDS: Final = np.geomspace(1e-5, 0.9, 40)
"""Bounds between the classes of return probability. No return probability exceeds the damping factor."""


@dataclass(frozen=True, eq=False)
class OutsideModel:
    """The model as fitted to a crawled graph.

    `ranks` is the PageRank of all known pages, shape (n,), sums to 1. `return_probabilities`, shape (n,), is explained
    in `return_probability`. `weights` holds the weights of the four kinds of similarity, shape (4,). `error_bounds`
    bounds the errors of `ranks`.
    """

    ranks: FloatArray
    return_probabilities: NDArray[np.float32]
    weights: FloatArray
    error_bounds: ErrorBounds


_fitted: WeakKeyDictionary[CrawledGraph, OutsideModel] = WeakKeyDictionary()
"""A policy and an estimator that use the same crawled graph share one model."""


def outside_model(
    crawled: CrawledGraph,
    *,
    start: FloatArray | None = None,
    tolerance: float = TOLERANCE,
    of_local_shares: bool = True,
) -> OutsideModel:
    """Fit the model to the crawled pages.

    `start` holds earlier ranks of the pages that were known at that time. `tolerance` bounds the L1 error of the ranks
    or, with `of_local_shares`, the L1 error of the crawled local pages' ranks after scaling to sum 1.

    Before any external page is crawled, frontier pages spread the rank they receive over all pages, as pages without
    links do. Frontier pages of the local domain always do so, because they resemble no external page. Raises
    DidNotConverge.
    """
    model = _fitted.get(crawled)
    if model is None or model.error_bounds.wanted(of_local_shares=of_local_shares) > tolerance:
        begin = start if model is None else model.ranks
        model = _fitted[crawled] = _fit(crawled, begin, tolerance, of_local_shares=of_local_shares)
    return model


def predicted_returns(crawled: CrawledGraph) -> NDArray[np.float32]:
    """Return the predicted return probability of each known page, shape (n,), without ranking the pages.

    It is 0 for every page before any external page is crawled.
    """
    model = _fitted.get(crawled)
    if model is not None:
        return model.return_probabilities
    similarity = _similarity(crawled)
    if similarity is None:
        return np.zeros(crawled.page_count, np.float32)
    return _predicted_returns(similarity, prediction_likelihoods(similarity))


def _fit(crawled: CrawledGraph, start: FloatArray | None, tolerance: float, *, of_local_shares: bool) -> OutsideModel:
    links, n = crawled.links, crawled.page_count
    alike = ErrorBounds(tolerance, tolerance)
    if not n:
        return OutsideModel(np.empty(0), np.empty(0, np.float32), np.zeros(KINDS), alike)
    similarity = _similarity(crawled)
    if similarity is None:
        alone = pagerank(links, start=None if start is None else _start(start, n), tolerance=tolerance)
        return OutsideModel(alone, np.zeros(n, np.float32), prior_weights(), alike)
    similarity, probabilities, weights = _classified(similarity)
    ranks: FloatArray = links.zeros(n, np.float64)
    ranks[:] = 1 / n if start is None else _start(start, n)
    bounds = sweep_until(similarity, weights, ranks, tolerance, of_local_shares=of_local_shares)
    return OutsideModel(ranks, probabilities, weights, bounds)


def _similarity(crawled: CrawledGraph) -> Similarity | None:
    """Return the similarity of pages, where all models are in one class; None before any external page is crawled."""
    links, n = crawled.links, crawled.page_count
    is_model: BoolArray = links.zeros(n, np.bool_)
    np.greater(crawled.is_crawled, crawled.is_local, out=is_model)
    if not is_model.any():
        return None
    return Similarity.of(crawled, is_model, _model_weights(crawled), links.zeros(n, np.uint8))


def _classified(similarity: Similarity) -> tuple[Similarity, NDArray[np.float32], FloatArray]:
    """Return the similarity with classes, the predicted return probabilities, and the weights of the kinds.

    The class of a page depends on its return probability, as predicted without classes.
    """
    links = similarity.links
    likelihoods = prediction_likelihoods(similarity)
    probabilities = _predicted_returns(similarity, likelihoods)
    similarity = similarity.with_classes(_classes_of(probabilities, links.zeros(links.page_count, np.uint8)))
    return similarity, probabilities, interpolation_weights(in_other_classes(likelihoods, similarity))


def _predicted_returns(similarity: Similarity, likelihoods: Likelihoods) -> NDArray[np.float32]:
    probabilities: NDArray[np.float32] = similarity.links.zeros(similarity.links.page_count, np.float32)
    probabilities[:] = return_probabilities(similarity, interpolation_weights(likelihoods))
    return probabilities


def _model_weights(crawled: CrawledGraph) -> ByteArray:
    """Return the weight of each model, shape (n,). Pages that are not models get 0.

    A model that the policy chose weighs less than a model that was drawn at random.
    """
    order, zeros = crawled.order, crawled.links.zeros
    models = gathered(order, places_where(len(order), lambda part: ~crawled.is_local[order[part]], zeros), zeros)
    weights: ByteArray = zeros(crawled.page_count, np.uint8)
    last_drawn = last_sampled(models, zeros)
    for part in chunks(len(models)):
        weights[models[part]] = np.where(sampling_numbers(models[part]) <= last_drawn, _DRAWN, _CHOSEN)
    return weights


def _classes_of(probabilities: NDArray[np.float32], classes: ByteArray) -> ByteArray:
    for part in chunks(len(classes)):
        classes[part] = np.searchsorted(_CLASS_BOUNDS, probabilities[part])
    return classes


def _start(start: FloatArray, n: int) -> FloatArray:
    ranks = np.full(n, 1.0 / n)
    if len(start):
        ranks[: len(start)] = start[:n]
        ranks[len(start) :] = start.min()
        ranks /= ranks.sum()
    return ranks
