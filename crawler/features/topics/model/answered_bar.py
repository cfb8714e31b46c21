"""Sets the bar of a topic by a user's answers about some pages, and estimates precision and recall above it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.model.bar import USUAL_SHARE, Bar, bar_at, evenly, standardised
from hinterland.crawler.features.topics.model.calibration import Bools, Floats

_DEEPEST: Final = 0.6
"""No questions are about pages beyond this share of the order, since nearly all of these are irrelevant."""
_FIRST: Final = 0.005
"""The first question is about a page within this share of the order."""
_POINTS: Final = 600
_LEVELS: Final = (0.01, 0.99)
"""The quantiles between which the intervals lie. They are further apart than .05 and .95, because answers are placed by
other models than the one that judges, and because no real curve is exactly one of these.
"""

_MIDDLES: Final = np.linspace(-1, 6.5, 24)
_SLOPES: Final = np.geomspace(1, 5, 8)
_HIDDEN: Final = {0.003: 0.45, 0.05: 0.2, 0.15: 0.2, 0.4: 0.15}
"""The share of the relevant pages that look like all other pages -> how likely it is before the first answer."""
_MOST: Final = {1.0: 0.6, 0.9: 0.3, 0.75: 0.1}
"""The share of relevant pages among the likeliest -> how likely it is before the first answer."""
_USUAL_SLOPE: Final = 0.8
_SPREAD_OF_SLOPES: Final = 0.5
"""The curves that are compared. A page of score x (in spreads of all scores) is about the topic with the probability
least + (most - least) / (1 + e^(-slope (x - middle))). `least` follows from the share of relevant pages that look like
all others. The logarithms of slopes have this mean and standard deviation before the first answer. How likely slopes,
`most` and the shares of hidden pages are is rounded from what was true in 72 runs of four topics of the webfarm.
"""
_SPREAD_OF_SHARES: Final = 1.0
"""How far the share of relevant pages is expected to differ from USUAL_SHARE before the first answer, as the standard
deviation of its natural logarithm. Curves with other shares are less likely.
"""
_NEAR: Final = 0.7
"""A question near the bar is about a page between e^-0.7 (half) and e^0.7 (twice) as deep in the order as the bar."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share, and its interval: of 100 such intervals, about 90 should contain the true share."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AnsweredBar:
    """The bar with the largest expected F1, and the estimated precision and recall of the pages above it."""

    bar: Bar
    precision: Estimate
    recall: Estimate
    evidence: float
    """The logarithm of the mean likelihood of the answers, by which orders of the same pages can be compared."""


def places_to_ask(pages: int, questions: int, rng: np.random.Generator) -> list[int]:
    """Return distinct ranks of pages to ask about, from 0 for the page that is most likely about the topic.

    The ranks are divided into stretches, each longer than the previous one by a constant factor. One rank is drawn from
    each stretch.
    """
    ends = np.geomspace(max(_FIRST * pages, 1), max(_DEEPEST * pages, 1), questions + 1).astype(int)
    ends[0] = 0
    found: dict[int, None] = {}
    for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        found[min(int(rng.integers(first, max(last, first + 1))), pages - 1)] = None
    return list(found)


def places_of(values: Floats, log_odds: Floats) -> list[int]:
    """Return the ranks, from 0, that pages with the log-odds `values` would have among all pages, the highest first.

    `log_odds` are the log-odds of all pages, in any order.
    """
    found = np.searchsorted(np.sort(-log_odds), -values)
    return [int(place) for place in np.minimum(found, len(log_odds) - 1)]


class PrecisionCurves:
    """Curves that give the probability that a page is relevant by its score, weighted by answers about some pages.

    They are logistic curves with a floor and a ceiling, on a grid of parameters. The prior weight of a curve says how
    common such curves are among topics. Answers multiply it by their likelihood (Bayes). Pages are given by their
    *places*: ranks from 0 for the page with the highest score.
    """

    def __init__(self, log_odds: Floats) -> None:
        """Make the curves for pages with these log-odds, which may be in any order; there must be at least one page."""
        self._log_odds = log_odds
        self._scores = standardised(np.sort(log_odds)[::-1])
        self._points = evenly(len(log_odds), _POINTS)
        grid = np.meshgrid(_MIDDLES, _SLOPES, list(_HIDDEN), list(_MOST), indexing="ij")
        self._middles, self._slopes, hidden, self._most = (each.ravel()[:, None] for each in grid)
        rises = self._rises(self._scores[self._points])
        mean = rises.mean(1, keepdims=True)
        self._least = hidden * self._most * mean / (1 - hidden * (1 - mean))
        self._found = np.cumsum(self._least + (self._most - self._least) * rises, axis=1)
        self._counts = np.arange(1, len(self._points) + 1)
        self._f1 = 2 * self._found / (self._counts + self._found[:, -1:])
        self._log_prior = self._log_priors(hidden)

    def bar(self, places: Sequence[int], is_about: Bools) -> AnsweredBar:
        """Return the bar with the largest expected F1, given the answers about pages at `places`.

        The expected F1 is averaged over the curves by their weights.
        """
        weights, evidence = self._weights(places, is_about)
        best = int((weights @ self._f1).argmax())
        return AnsweredBar(
            bar_at(self._log_odds, (self._points[best] + 1) / len(self._scores)),
            _estimate(self._found[:, best] / self._counts[best], weights),
            _estimate(self._found[:, best] / self._found[:, -1], weights),
            evidence,
        )

    def place_near_bar(self, places: Sequence[int], is_about: Bools, rng: np.random.Generator) -> int:
        """Return a random place near the bar, given the answers about pages at `places`.

        One curve is drawn by its weight, and its bar is used. So the less is known, the more widely the places vary.
        """
        weights, _ = self._weights(places, is_about)
        best = int(self._f1[rng.choice(len(weights), p=weights)].argmax())
        place = (self._points[best] + 1) * math.exp(rng.uniform(-_NEAR, _NEAR))
        return min(int(place), len(self._scores) - 1)

    def _weights(self, places: Sequence[int], is_about: Bools) -> tuple[Floats, float]:
        """Return the weights of the curves, whose sum is 1, and the logarithm of the mean likelihood of the answers."""
        rises = self._rises(self._scores[np.asarray(places, np.int64)])
        asked = np.clip(self._least + (self._most - self._least) * rises, 1e-4, 0.99)
        joint = self._log_prior + np.where(is_about, np.log(asked), np.log1p(-asked)).sum(1)
        weights = np.exp(joint - joint.max())
        return weights / weights.sum(), float(joint.max() + np.log(weights.sum()))

    def _log_priors(self, hidden: Floats) -> Floats:
        """Return the logarithm of how likely each curve is before the first answer; shape (curves,).

        `hidden` is the share of relevant pages that look like all others, by curve; shape (curves, 1).
        """
        shares = self._found[:, -1] / len(self._points)
        kinds = zip(hidden.ravel().tolist(), self._most.ravel().tolist(), strict=True)
        logs = (
            np.log([_HIDDEN[share] * _MOST[most] for share, most in kinds])
            - ((np.log(shares / USUAL_SHARE) / _SPREAD_OF_SHARES) ** 2) / 2
            - ((np.log(self._slopes.ravel()) - _USUAL_SLOPE) / _SPREAD_OF_SLOPES) ** 2 / 2
        )
        return np.asarray(logs - np.log(np.exp(logs).sum()), np.float64)

    def _rises(self, scores: Floats) -> Floats:
        """Return how far each curve has risen, from 0 to 1, at these standardised scores; shape (curves, n)."""
        steep = np.clip(self._slopes * (scores - self._middles), -30, 30)
        return np.asarray(1 / (1 + np.exp(-steep)), np.float64)


def _estimate(values: Floats, weights: Floats) -> Estimate:
    """Return the mean of values with these weights, and the interval between their quantiles at _LEVELS."""
    order: NDArray[np.intp] = np.argsort(values)
    below = np.cumsum(weights[order])
    low, high = (float(values[order][min(int(np.searchsorted(below, level)), len(order) - 1)]) for level in _LEVELS)
    return Estimate(float(values @ weights), low, high)
