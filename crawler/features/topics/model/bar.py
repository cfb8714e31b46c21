"""The bar of a topic, which is the log-odds above which a page counts as relevant, set for the web that is judged.

A classifier with few examples orders pages well even while its probabilities are wrong: trained on some sites, it gives
the pages of other sites scores that are too low or too high. But the distribution of its scores over a whole web shows
what share of the pages is relevant. The bar is set so that this share of the pages is above it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.model.calibration import Floats
from hinterland.crawler.features.topics.model.topic_model import MOST_LOG_ODDS, TopicModel

LEAST_PAGES: Final = 100
"""Fewer pages say too little about their web."""
USUAL_SHARE: Final = 0.05
"""The share of the topic before anything is known."""
_CERTAINTY: Final = 0.05
"""The weight of USUAL_SHARE, in pages, relative to the number of pages judged."""
_BACKGROUNDS: Final = (1, 2, 3)
"""The numbers of normal distributions that are tried for the scores of other pages. One is too few for skewed scores,
whose tail is then mistaken for pages of the topic. Three may absorb a frequent topic.
"""
_POINTS: Final = 1_000
_STEPS: Final = 200
_TOLERANCE: Final = 1e-5
_NARROWEST: Final = 0.15
_LEAST_RATIO: Final = 0.3
_MOST_RATIO: Final = 2.0
"""The spread of the topic's scores lies between these multiples of the spread of other pages' scores."""
_LEAST_SPREAD: Final = 1.0
"""The least standard deviation of log-odds."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: the log-odds above which a page counts as relevant.

    To give a page at the bar the probability 1/2, `log_odds` is subtracted from log-odds; the differences are
    multiplied by `factor`, at least 1.

    `share` is the share of the pages above it.
    """

    log_odds: float
    factor: float
    share: float

    def moved(self, log_odds: Floats) -> Floats:
        """Return log-odds relative to this bar."""
        return np.asarray(np.clip(self.factor * (log_odds - self.log_odds), -MOST_LOG_ODDS, MOST_LOG_ODDS), np.float64)

    def on(self, model: TopicModel) -> TopicModel:
        """Return a model with this bar: it gives a page at the bar the probability one half."""
        return replace(
            model,
            weights=(self.factor * model.weights).astype(np.float32),
            intercept=self.factor * (model.intercept - self.log_odds),
            prior=self.share,
        )


def estimated_share(log_odds: Floats, prior: float) -> float:
    """Return the share of a web's pages to call relevant, given the log-odds of all pages or of a random sample.

    `prior` is the share that training estimated. The result is the median of four estimates, of which `prior` is one.
    The other three come from mixtures of normal distributions (Dempster, Laird & Rubin 1977). The highest distribution
    is the topic's, and one, two or three are for other pages. Each mixture gives the share at which the expected F1 is
    largest (Lipton, Elkan & Naryanaswamy 2014). There must be at least one page.
    """
    scores = standardised(np.sort(log_odds)[evenly(len(log_odds), _POINTS)])
    return float(np.median([*(_best_share(_chances(scores, each)) for each in _BACKGROUNDS), prior]))


def bar_at(log_odds: Floats, share: float) -> Bar:
    """Return the bar that has this share of the pages above it, but at least one page. There must be at least one page.

    If the log-odds hardly differ, the bar spreads them out, so that the probabilities differ.
    """
    ordered = np.sort(log_odds)
    count = min(max(round(share * len(ordered)), 1), len(ordered))
    bar = ordered[-count] if count == len(ordered) else (ordered[-count] + ordered[-count - 1]) / 2
    factor = max(_LEAST_SPREAD / max(float(log_odds.std()), 1e-6), 1.0)
    return Bar(float(bar), factor, count / len(ordered))


def evenly(pages: int, most: int) -> NDArray[np.int64]:
    """Return at most `most` indices, evenly spread over the range from 0 to `pages` - 1."""
    return np.linspace(0, pages - 1, min(most, pages)).round().astype(np.int64)


def standardised(scores: Floats) -> Floats:
    """Return the differences of scores from their median, in units of a spread that a few high scores hardly change."""
    low, middle, high = np.quantile(scores, [0.25, 0.5, 0.75])
    spread = max((high - low) / 1.349, float(scores.std()) / 3, 1e-9)
    return np.asarray((scores - middle) / spread, np.float64)


def _chances(scores: Floats, backgrounds: int) -> Floats:
    """Return the probability that each score, ascending, is from the highest of `backgrounds` + 1 normal distributions.

    The result, shape (n,), never decreases.
    """
    n = len(scores)
    parts = np.array_split(scores, [int(n * (1 - USUAL_SHARE))])
    rest = np.array_split(parts[0], backgrounds)
    means = np.array([*(float(part.mean()) if len(part) else 0.0 for part in rest), float(parts[1].mean())])
    spreads = np.array([float(parts[0].std()) / math.sqrt(backgrounds) if len(parts[0]) else 1.0] * backgrounds)
    spreads = np.maximum(np.append(spreads, float(parts[1].std())), 0.2)
    weights = np.append(np.full(backgrounds, (1 - USUAL_SHARE) / backgrounds), USUAL_SHARE)
    chances = np.zeros((n, backgrounds + 1))
    for _ in range(_STEPS):
        before = weights
        logs = np.log(weights) - ((scores[:, None] - means) / spreads) ** 2 / 2 - np.log(spreads)
        chances = np.exp(logs - logs.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        sizes = chances.sum(0) + 1e-9
        share = (sizes[-1] + _CERTAINTY * n * USUAL_SHARE) / (n * (1 + _CERTAINTY))
        weights = np.append((1 - share) * sizes[:-1] / sizes[:-1].sum(), share)
        means = (chances * scores[:, None]).sum(0) / sizes
        spreads = np.maximum(np.sqrt((chances * (scores[:, None] - means) ** 2).sum(0) / sizes), _NARROWEST)
        others = math.sqrt(float((sizes[:-1] * spreads[:-1] ** 2).sum() / sizes[:-1].sum()))
        spreads[-1] = min(max(spreads[-1], _LEAST_RATIO * others), _MOST_RATIO * others)
        means[-1] = means.max()
        if float(np.abs(weights - before).max()) < _TOLERANCE:
            break
    return np.maximum.accumulate(chances[:, -1])


def _best_share(chances: Floats) -> float:
    """Return the share of the highest scores at which the expected F1 is largest."""
    found = np.cumsum(chances[::-1])
    f1 = 2 * found / (np.arange(1, len(found) + 1) + found[-1])
    return float(f1.argmax() + 1) / len(found)
