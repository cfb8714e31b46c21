"""Estimates from a random sample how accurate predictions are, and how many relevant pages are left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from hinterland.analysis.graph import FloatArray
from hinterland.crawler.features.topics.links.exploration_sample import Draw
from hinterland.storage.values.topics import RELEVANT

Z: Final = 1.96
"""Half the width of a 95 % interval, in standard deviations."""
_HALF: Final = 0.5
_BISECTIONS: Final = 40

Interval = tuple[float, float]
"""A 95 % confidence interval."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """A proportion `value` of `count` items, 0 if there are none, and its 95 % interval."""

    count: int
    value: float
    interval: Interval

    @classmethod
    def of(cls, hits: int, count: int) -> Proportion:
        """Return a proportion with the score interval of Wilson (1927), which is valid even for few items or none."""
        if not count:
            return cls(0, 0.0, (0.0, 1.0))
        share = hits / count
        middle, scale = (share + Z * Z / (2 * count)), 1 + Z * Z / count
        half = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
        return cls(count, share, (max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)))


@dataclass(frozen=True, slots=True)
class ExplorationAccuracy:
    """How accurate predictions are, as measured on the exploration sample (`exploration_sample`).

    `relevant` is the share of relevant pages in the sample; `precision` is the same share among its pages with a
    prediction of at least one half. `ordered` is the share of pairs of a relevant and an irrelevant page in which the
    relevant page had the higher prediction (the area under the ROC curve); None unless there are pages of both kinds.
    `promised` is the mean of the predicted worths, and `worth` the mean of the actual ones.

    `left` is the estimated share of relevant pages among the waiting pages. It is measured on the sampled pages that
    the crawl would not have visited yet without the sample. `found` is computed from it: the share of the known
    relevant pages that the crawl has visited.
    """

    relevant: Proportion
    precision: Proportion
    ordered: Proportion | None
    promised: float
    worth: float
    worth_interval: Interval
    left: Proportion
    found: Proportion


def exploration_accuracy(
    draws: Sequence[Draw], *, visits: int, relevant: int, waiting: int
) -> ExplorationAccuracy | None:
    """Return the accuracy that these sampled pages show; None if there are none.

    The crawl has made `visits` visits, of which `relevant` were to relevant pages; `waiting` pages wait now.
    """
    if not draws:
        return None
    is_relevant = np.array([draw.relevance >= RELEVANT for draw in draws])
    predicted = np.array([draw.predicted for draw in draws])
    worth = np.array([draw.worth for draw in draws])
    is_expected = predicted >= _HALF
    unreached = np.array([draw.turn > visits for draw in draws])
    left = Proportion.of(int((is_relevant & unreached).sum()), int(unreached.sum()))

    def found(share_left: float) -> float:
        known = relevant + share_left * waiting
        return relevant / known if known else 0.0

    half = Z * float(worth.std()) / sqrt(len(draws))
    return ExplorationAccuracy(
        relevant=Proportion.of(int(is_relevant.sum()), len(draws)),
        precision=Proportion.of(int((is_relevant & is_expected).sum()), int(is_expected.sum())),
        ordered=ordered(predicted[is_relevant], predicted[~is_relevant]),
        promised=float(predicted.mean()),
        worth=float(worth.mean()),
        worth_interval=(max(float(worth.mean()) - half, 0.0), min(float(worth.mean()) + half, 1.0)),
        left=left,
        found=Proportion(waiting, found(left.value), (found(left.interval[1]), found(left.interval[0]))),
    )


def ordered(higher: FloatArray, lower: FloatArray) -> Proportion | None:
    """Return the share of pairs (higher, lower) in the right order; ties count one half. Returns None without pairs.

    The interval is that of Newcombe (2006, method 5), which has a positive width even if all pairs are in order.
    """
    n, m = len(higher), len(lower)
    if not n or not m:
        return None
    ascending = np.sort(lower)
    below = np.searchsorted(ascending, higher, "left") + np.searchsorted(ascending, higher, "right")
    area = float(below.sum()) / (2 * n * m)
    others = (n + m) / 2 - 1

    def is_too_far(true: float) -> bool:
        variance = true * (1 - true) * (1 + others * ((1 - true) / (2 - true) + true / (1 + true))) / (n * m)
        return abs(area - true) > Z * sqrt(variance)

    return Proportion(n * m, area, (_edge(is_too_far, area, 0.0), _edge(is_too_far, area, 1.0)))


def _edge(is_too_far: Callable[[float], bool], inside: float, outside: float) -> float:
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if is_too_far(middle) else (middle, outside)
    return (inside + outside) / 2
