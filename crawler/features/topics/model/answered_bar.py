"""Sets the bar of a topic by a user's answers about some pages, and estimates precision and recall above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.model.bar import Bar, bar_at, evenly, standardised
from hinterland.crawler.features.topics.model.calibration import Bools, Floats

_DEEPEST: Final = 0.6
"""No questions are about pages beyond this share of the order, since nearly all of these are irrelevant."""
_FIRST: Final = 0.005
"""The first question is about a page within this share of the order."""
_POINTS: Final = 600
_PRECISION_LEVELS: Final = (0.025, 0.975)
_RECALL_LEVELS: Final = (0.002, 0.998)
"""The quantiles between which the intervals lie. The interval of recall is wider, because no curve accounts for
relevant pages that look like all others.
"""

_MIDDLES: Final = np.linspace(-1, 7.8, 23)
_SLOPES: Final = np.geomspace(0.3, 6, 16)[::2]
_LEAST: Final = np.array([0.0005, 0.003, 0.01, 0.03, 0.08])
_MOST: Final = np.array([1.0, 0.85, 0.65])
"""The curves that are compared, equally likely before the first answer. A page of score x (in spreads of all scores) is
about the topic with the probability least + (most - least) / (1 + e^(-slope (x - middle))).
"""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share, and its interval: of 100 such intervals, about 90 should contain the true share."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AnsweredBar:
    """The bar at which the expected F1 is largest, and the precision and recall of the pages above it."""

    bar: Bar
    precision: Estimate
    recall: Estimate
    evidence: float
    """The logarithm of the mean likelihood of the answers, by which orders of the same pages can be compared."""


def places_to_ask(pages: int, questions: int, rng: np.random.Generator) -> list[int]:
    """Return distinct places to ask about in the order of all pages, in which the likeliest page is first.

    Each place is drawn from a stretch of its own. Every stretch is longer than the one before by a constant factor.
    """
    ends = np.geomspace(max(_FIRST * pages, 1), max(_DEEPEST * pages, 1), questions + 1).astype(int)
    ends[0] = 0
    found: dict[int, None] = {}
    for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        found[min(int(rng.integers(first, max(last, first + 1))), pages - 1)] = None
    return list(found)


def places_of(values: Floats, log_odds: Floats) -> list[int]:
    """Return the places that pages with the log-odds `values` would have among all pages, the likeliest page first.

    `log_odds` are those of all pages, in any order.
    """
    found = np.searchsorted(np.sort(-log_odds), -values)
    return [int(place) for place in np.minimum(found, len(log_odds) - 1)]


def answered_bar(log_odds: Floats, places: Sequence[int], is_about: Bools) -> AnsweredBar:
    """Return the bar by the answers about the pages at these places of the order, the likeliest page first.

    `log_odds` are those of all pages, in any order. Logistic curves with a floor and a ceiling are compared by the
    likelihood of the answers, and averaged (Bayes, on a grid).
    """
    scores = standardised(np.sort(log_odds)[::-1])
    middles, slopes, least, most = (
        each.ravel()[:, None] for each in np.meshgrid(_MIDDLES, _SLOPES, _LEAST, _MOST, indexing="ij")
    )

    def curves(values: Floats) -> Floats:
        steep = np.clip(slopes * (values - middles), -30, 30)
        return np.asarray(least + (most - least) / (1 + np.exp(-steep)), np.float64)

    asked = np.clip(curves(scores[np.asarray(places, np.int64)]), 1e-4, 0.99)
    likelihood = np.where(is_about, np.log(asked), np.log1p(-asked)).sum(1)
    weights = np.exp(likelihood - likelihood.max())
    evidence = float(likelihood.max() + np.log(weights.mean()))
    weights /= weights.sum()
    points = evenly(len(scores), _POINTS)
    found = np.cumsum(curves(scores[points]), axis=1)
    counts = np.arange(1, len(points) + 1)
    best = int((weights @ (2 * found / (counts + found[:, -1:]))).argmax())
    return AnsweredBar(
        bar_at(log_odds, (points[best] + 1) / len(scores)),
        _estimate(found[:, best] / counts[best], weights, _PRECISION_LEVELS),
        _estimate(found[:, best] / found[:, -1], weights, _RECALL_LEVELS),
        evidence,
    )


def _estimate(values: Floats, weights: Floats, levels: tuple[float, float]) -> Estimate:
    """Return the mean of values with these weights, and the interval between their quantiles at two levels."""
    order: NDArray[np.intp] = np.argsort(values)
    below = np.cumsum(weights[order])
    low, high = (float(values[order][min(int(np.searchsorted(below, level)), len(order) - 1)]) for level in levels)
    return Estimate(float(values @ weights), low, high)
