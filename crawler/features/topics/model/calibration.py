"""Turns scores into probabilities that are right for the web that is crawled, and measures how far off they are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_STEPS = 200
_MOST_APART = 4.0
"""The largest distance that is assumed between the mean scores of the two classes, in standard deviations, even if a
few pages separate better.
"""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A linear function from scores to log-odds: log-odds = slope · score + offset, with `slope` at least 0.

    It is valid for a web in which the share `prior` of the pages is about the topic.
    """

    slope: float
    offset: float
    prior: float

    def log_odds(self, scores: Floats) -> Floats:
        """Return the log-odds of scores."""
        return self.slope * scores + self.offset


def calibrated(
    scores: Floats,
    is_about: Bools,
    unlabelled: Floats,
    *,
    prior: float | None = None,
    expected_prior: float = 0.05,
    certainty: float = 20.0,
) -> Calibration:
    """Return the calibration, learnt from labelled pages and a random sample of unlabelled pages of the web crawled.

    The scores of each class are assumed to be normal with the same standard deviation, so that the log-odds are linear
    (Fisher's discriminant). The means, the deviation and the share of the topic among the unlabelled pages are found by
    expectation maximisation (Dempster, Laird & Rubin 1977; for the share alone: Saerens, Latinne & Decaestecker 2002).
    Labelled pages keep their labels. The labelled pages about the topic weigh at least as much as all unlabelled pages
    that are estimated to be about it. `prior` is the share of the topic, if known; otherwise `expected_prior` weighs as
    much as `certainty` unlabelled pages.
    """
    yes, no = scores[is_about], scores[~is_about]
    share = expected_prior if prior is None else prior
    everyone = np.concatenate((yes, no, unlabelled))
    chance = np.full(len(unlabelled), share)
    above, below = float(yes.mean()), float(np.mean(np.concatenate((no, unlabelled))))
    if above <= below:
        return Calibration(0.0, _logit(share), share)
    spread = max(float(everyone.std()) / 2, (above - below) / _MOST_APART)
    for _ in range(_STEPS):
        before = share
        slope = (above - below) / spread**2
        offset = _logit(share) - slope * (above + below) / 2
        chance = 1 / (1 + np.exp(-np.clip(slope * unlabelled + offset, -30, 30)))
        if prior is None and len(unlabelled):
            share = float((chance.sum() + certainty * expected_prior) / (len(unlabelled) + certainty))
        of_yes = max(1.0, float(chance.sum()) / len(yes))
        weights_of_yes = np.concatenate((np.full(len(yes), of_yes), np.zeros(len(no)), chance))
        weights_of_no = np.concatenate((np.zeros(len(yes)), np.ones(len(no)), 1 - chance))
        above = float(np.average(everyone, weights=weights_of_yes))
        below = float(np.average(everyone, weights=weights_of_no))
        squares = weights_of_yes * (everyone - above) ** 2 + weights_of_no * (everyone - below) ** 2
        if above <= below:
            return Calibration(0.0, _logit(share), share)
        spread = float(np.sqrt(squares.sum() / (weights_of_yes.sum() + weights_of_no.sum())))
        spread = max(spread, (above - below) / _MOST_APART)
        if abs(share - before) < 1e-6:
            break
    slope = (above - below) / spread**2
    return Calibration(slope, _logit(share) - slope * (above + below) / 2, share)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def calibration_error(probabilities: Floats, is_about: Bools, *, bins: int = 10) -> float:
    """Return the expected calibration error (Naeini, Cooper & Hauskrecht 2015).

    This is the mean distance between predicted and true shares, over bins of equal width, weighted by pages per bin.
    """
    if not len(probabilities):
        return 0.0
    places = np.minimum((probabilities * bins).astype(int), bins - 1)
    said = np.bincount(places, weights=probabilities, minlength=bins)
    so = np.bincount(places, weights=is_about.astype(float), minlength=bins)
    return float(np.abs(said - so).sum() / len(probabilities))
