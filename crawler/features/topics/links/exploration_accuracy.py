"""How well predicted hold, and how much of what is sought a crawl has found, by the pages it has drawn by lot."""

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
_HALF: Final = 0.5
_BISECTIONS: Final = 40

Interval = tuple[float, float]
"""In which the true value lies 19 times in 20."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """count: of how many; value: the share, 0 of none."""

    count: int
    value: float
    interval: Interval

    @classmethod
    def of(cls, hits: int, count: int) -> Proportion:
        """With the score interval of Wilson (1927), which holds for few as well, and for none."""
        if not count:
            return cls(0, 0.0, (0.0, 1.0))
        share = hits / count
        middle, scale = (share + Z * Z / (2 * count)), 1 + Z * Z / count
        half = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
        return cls(count, share, (max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)))


@dataclass(frozen=True, slots=True)
class ExplorationAccuracy:
    """By the pages that were drawn by lot (`lots`). relevant: of all of them. precision: of those that were promised to
    be worth half or more. ordered: of a relevant one and another, how often the relevant one was promised more (the
    area under the ROC curve), None if they are all of one kind. promised, worth: on average. left: of the pages that
    wait, by the lots that their predicted would not have brought yet; found: how many of the relevant pages known the
    crawl has visited, if as many are left.
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
    """visits: how many there were, relevant: how many to relevant pages; waiting: the pages that wait now. None without
    draws.
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
    """How many pairs of one of each are in the right order, a draw being half of one; None without a pair. The interval
    is that of Newcombe (2006, method 5), which does not shrink to nothing if all are.
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
