"""From scores to probabilities that hold for the web crawled, and how well they hold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_STEPS = 200
_MOST_APART = 4.0
"""The means of the two kinds, in spreads: as far apart they are at most taken to be, however well a few pages part."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """log-odds = slope · score + offset, for pages of which the share `prior` is about the topic. slope: at least 0."""

    slope: float
    offset: float
    prior: float

    def log_odds(self, scores: Floats) -> Floats:
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
    """What scores mean, learnt from those of labelled pages and of unlabelled ones, drawn by lot from the web crawled.

    The scores of either kind are taken for normal with the same spread, so that the log-odds are a line (Fisher's
    discriminant). Mean, spread and the share of the topic among the unlabelled follow by expectation and maximisation
    (Dempster, Laird & Rubin 1977; for the share alone: Saerens, Latinne & Decaestecker 2002), labelled pages with
    their labels, those of the topic weighing at least as much as the unlabelled that are taken to be. prior: that
    share, if it is known; else `expected_prior` counts as much as `certainty` unlabelled pages.
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
    """The expected calibration error: the mean distance between what was said and what was so, over bins of equal
    width, weighted by their pages (Naeini, Cooper & Hauskrecht 2015).
    """
    if not len(probabilities):
        return 0.0
    places = np.minimum((probabilities * bins).astype(int), bins - 1)
    said = np.bincount(places, weights=probabilities, minlength=bins)
    so = np.bincount(places, weights=is_about.astype(float), minlength=bins)
    return float(np.abs(said - so).sum() / len(probabilities))
