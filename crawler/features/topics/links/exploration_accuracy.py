"""How accurate predictions are, and how many relevant pages are left, by the pages drawn at random."""

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
"""Standard deviations of a 95 % interval."""
_HALF: Final = 0.5
_BISECTIONS: Final = 40

Interval = tuple[float, float]
"""Contains the true value in 19 of 20 cases."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share `value` of `count`, 0 if there are none, and its interval."""

    count: int
    value: float
    interval: Interval

    @classmethod
    def of(cls, hits: int, count: int) -> Proportion:
        """Return a share with the score interval of Wilson (1927), which also holds for few, and for none."""
        if not count:
            return cls(0, 0.0, (0.0, 1.0))
        share = hits / count
        middle, scale = (share + Z * Z / (2 * count)), 1 + Z * Z / count
        half = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
        return cls(count, share, (max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)))


@dataclass(frozen=True, slots=True)
class ExplorationAccuracy:
    """The accuracy by the exploration sample (`exploration_sample`).

    `relevant` is the share of relevant pages in it. `precision` is that share of the pages predicted to be worth half
    or more. `ordered` is how often a relevant page had a higher prediction than another one (the area under the ROC
    curve), None if all pages are of one kind. `promised` and `worth` are the means of prediction and worth. `left` is
    the share of relevant pages among those that wait, by draws that their prediction would not have brought yet.
    `found` is the share of the known relevant pages that the crawl has visited, if that many are left.
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
    """Return the accuracy by these draws, None without draws.

    The crawl has made `visits` visits, `relevant` of them to relevant pages; `waiting` pages wait now.
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
    """Return the share of pairs, one of each kind, in the right order, a tie being half; None without a pair.

    The interval is that of Newcombe (2006, method 5), which does not shrink to nothing if all pairs are in order.
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
