"""Predicts with what probability a link leads to a relevant page: logistic regression over features and numbers.

The model is always learnt from scratch, from links whose targets were visited and nothing else. So the same visits give
the same model, however often a model was learnt before, and a crawl that was killed resumes with the same model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import BoolArray, FloatArray, IntArray
from hinterland.crawler.features.topics.links.link_features import FEATURES, LinkFeatures

_STEPS: Final = 40
_RATE: Final = 0.3
_FEATURE_PENALTY: Final = 1.0
_NUMBER_PENALTY: Final = 5.0
_INTERCEPT_PENALTY: Final = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class LinkRelevanceModel:
    """A model: `weights` of the features, shape (FEATURES,), and `coefficients` of the numbers, shape (m,)."""

    weights: FloatArray
    coefficients: FloatArray
    intercept: float

    @classmethod
    def untrained(cls, coefficients: FloatArray, intercept: float) -> LinkRelevanceModel:
        """Return a model that is used before anything is learnt."""
        return cls(np.zeros(FEATURES), coefficients, intercept)

    def log_odds(self, links: LinkFeatures, numbers: FloatArray) -> FloatArray:
        """Return ln(P/(1-P)) of each link, shape (k,); `numbers` has shape (k, m)."""
        found: FloatArray = links.summed(self.weights) + numbers @ self.coefficients + self.intercept
        return found

    def trained(
        self, links: LinkFeatures, numbers: FloatArray, outcomes: FloatArray, importance: FloatArray
    ) -> LinkRelevanceModel:
        """Return a model that has learnt from links with known targets.

        `outcomes`, shape (k,), are in [0, 1]; `importance`, shape (k,), is the weight of each link as an example. The
        result is the maximum a posteriori model for a Gaussian prior around this model, found by gradient steps that
        are scaled for each weight by its past gradients (Adagrad; Duchi, Hazan & Singer, JMLR 2011).
        """
        features = _FeatureSums.of(links)
        count = len(features.occurring)  # the weights of all others stay as they are
        prior = np.concatenate([self.weights[features.occurring], self.coefficients, [self.intercept]])
        penalties = np.full(len(prior), _FEATURE_PENALTY)
        penalties[count:], penalties[-1] = _NUMBER_PENALTY, _INTERCEPT_PENALTY
        state, squares = prior.copy(), np.full(len(prior), 1e-8)
        for _ in range(_STEPS):
            scores = features.of_links(state) + numbers @ state[count:-1] + state[-1]
            errors = (probabilities(scores) - outcomes) * importance
            gradient = penalties * (state - prior)
            gradient[:count] += features.over_links(errors)
            gradient[count:-1] += numbers.T @ errors
            gradient[-1] += errors.sum()
            squares += gradient * gradient
            state -= _RATE * gradient / np.sqrt(squares)
        weights = self.weights.copy()
        weights[features.occurring] = state[:count]
        return LinkRelevanceModel(weights, state[count:-1], float(state[-1]))


@dataclass(frozen=True, slots=True, eq=False)
class _FeatureSums:
    """The features of k links, ordered once by link and once by feature.

    So the sums over features and over links both read contiguous arrays, which takes half the time. `occurring` holds
    the features that occur, ascending, shape (m,). `features` holds the features of all links, link by link, as indices
    into `occurring`, shape (n,). `with_any`, shape (k,), says which links have any features. `first`, shape (j,), holds
    the index in `features` at which each of these j links begins. `links`, shape (n,), holds the numbers of the links,
    sorted by feature. `first_link`, shape (m,), holds the index in `links` at which each feature begins.
    """

    occurring: IntArray
    features: NDArray[np.intp]
    with_any: BoolArray
    first: NDArray[np.intp]
    links: NDArray[np.intp]
    first_link: NDArray[np.intp]
    room: FloatArray

    @classmethod
    def of(cls, links: LinkFeatures) -> _FeatureSums:
        """Return the sums for these links."""
        sizes = links.sizes
        order = np.argsort(links.features, kind="stable")
        in_order = links.features[order]
        first_link = np.flatnonzero(np.diff(in_order, prepend=-1))
        occurring = in_order[first_link].astype(np.int32)
        places = np.zeros(FEATURES, np.intp)
        places[occurring] = np.arange(len(occurring))
        with_any = sizes > 0
        return cls(
            occurring=occurring,
            features=places[links.features],
            with_any=with_any,
            first=(links.ends - sizes)[with_any],
            links=np.repeat(np.arange(len(links)), sizes)[order],
            first_link=first_link,
            room=np.empty(len(order)),
        )

    def of_links(self, weights: FloatArray) -> FloatArray:
        """Return the sum of the weights of each link's features, shape (k,).

        `weights` are in the order of `occurring`; further elements are ignored.
        """
        found = np.zeros(len(self.with_any))
        np.take(weights, self.features, out=self.room, mode="clip")  # otherwise the input is checked and copied
        found[self.with_any] = np.add.reduceat(self.room, self.first)
        return found

    def over_links(self, values: FloatArray) -> FloatArray:
        """Return for each feature the sum of `values` over the links that have it, shape (m,)."""
        np.take(values, self.links, out=self.room, mode="clip")
        found: FloatArray = np.add.reduceat(self.room, self.first_link)
        return found


def probabilities(log_odds: FloatArray) -> FloatArray:
    """Return the probabilities of log-odds, which are cut to [-30, 30]."""
    found: FloatArray = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -30.0, 30.0)))
    return found


def log_odds_of(shares: FloatArray) -> FloatArray:
    """Return the log-odds of shares, which are first limited to [0.01, 0.99]."""
    found: FloatArray = np.log((shares + 0.01) / (1.01 - shares))
    return found
