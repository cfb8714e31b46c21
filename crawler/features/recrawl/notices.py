"""Computes how past and expected notices of changes shift the time of the next visit.

The copy of a page is current with probability e^-x, and the page is visited when x reaches a threshold. Let Δ be the
page's change rate, r the recall and p the precision of notices (see `signals`). Between notices x grows by (1 - r)Δ per
second. On average (r/p)Δ notices come per second, and each adds j = ln(1/(1-p)) to x. Let U(u) be the mean time that it
takes x to grow by u, in units of 1/Δ. A visit at the threshold b is worth

  V(b) = μ/Δ ∫ U(u) h'(u) du, u from 0 to b        (Whittle's index; without notices U(u) = u: see `index_order`)

With notices, x grows slowly for a long time and then jumps: U is steep at first, flat up to j, and finally has the
slope 1/(1 - r + jr/p). A page that would be visited at x = b0 without notices must be visited at x = b, where V(b) =
μ/Δ (b0-1+e^-b0). Every policy uses the h of `harmonic` here. For pages that are visited often b is lower than b0. For
pages that wait long it is higher, because a notice will probably come when the page changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.recrawl.policy import FloatArray, IntArray

LEAST_UNSEEN: Final = 0.05
"""Lower bound of the share of changes that come without a notice."""
_UNSEEN: Final = LEAST_UNSEEN ** np.linspace(0, 1, 13)
_PRECISIONS: Final = np.linspace(0.05, 0.95, 10)
_CELLS: Final = 128
_STEPS_A_JUMP, _JUMPS = 24, 6
"""The grid on which U is computed: steps in each jump j, and jumps. Beyond it U is a straight line."""


@dataclass(frozen=True, eq=False, slots=True)
class PageNotices:
    """Notices of some pages, shape (k,) each.

    `unseen` is 1 - r, the share of changes without a notice. `strength` is what the notices since the last visit add to
    x. `ways` is the class of the page's host by the recall and precision of its notices, see `way_of`.
    """

    unseen: FloatArray
    strength: FloatArray
    ways: NDArray[np.uint8]

    def of(self, chosen: IntArray | slice) -> PageNotices:
        """Return the notices of some of the pages."""
        return PageNotices(self.unseen[chosen], self.strength[chosen], self.ways[chosen])


def way_of(unseen: FloatArray, precision: FloatArray) -> NDArray[np.uint8]:
    """Return the number of a class of similar recall and precision, 0 if hardly any change is announced; shape (k,)."""
    rows, columns = len(_UNSEEN) - 1, len(_PRECISIONS)
    row = np.rint(np.log(unseen) / np.log(LEAST_UNSEEN) * rows)
    column = np.rint((precision - _PRECISIONS[0]) / (_PRECISIONS[1] - _PRECISIONS[0]))
    way = 1 + (np.minimum(row, rows) - 1) * columns + np.clip(column, 0, columns - 1)
    return np.where(row > 0, way, 0).astype(np.uint8)


def thresholds(plain: FloatArray, ways: NDArray[np.uint8]) -> FloatArray:
    """Return the threshold at which to visit each page, shape (k,).

    A page is visited when x reaches its threshold; its copy is current with probability e^-x. `plain`, shape (k,),
    holds the thresholds that would apply without notices.
    """
    if not ways.any():
        return plain
    place = _CELLS * (1 - 1 / (1 + plain))
    cell = np.minimum(place, _CELLS - 1).astype(np.intp)
    table = _stretches()
    first = ways.astype(np.intp) * (_CELLS + 1) + cell
    here = table[first]
    return np.asarray(plain * (here + (place - cell) * (table[first + 1] - here)), np.float64)


@lru_cache(maxsize=1)
def _stretches() -> FloatArray:
    """Return a table of b/b0, the ratio of the thresholds with and without notices.

    The flat array has a row for each class of notices, with cells of equal width in b0/(1 + b0).
    """
    plain = np.linspace(0, 1, _CELLS + 1)[1:-1]
    plain /= 1 - plain
    rows = [np.ones(_CELLS + 1)]
    for unseen in _UNSEEN[1:].tolist():
        for precision in _PRECISIONS.tolist():
            speed = unseen - (1 - unseen) / precision * np.log1p(-precision)
            inside = _threshold(plain, unseen, precision) / plain
            rows.append(np.concatenate(([np.sqrt(unseen)], inside, [speed])))
    return np.concatenate(rows)


def _threshold(plain: FloatArray, unseen: float, precision: float) -> FloatArray:
    """Return b with V(b) = b0 - 1 + e^-b0, where b0 is `plain`."""
    x = np.geomspace(1e-4, 1e4, 500)
    growth = _time_to(x, unseen, precision) * -np.expm1(-x)  # U h' x
    middle = (growth[1:] + growth[:-1]) / 2 * np.diff(np.log(x))
    value = np.concatenate(([0.0], np.cumsum(middle))) + x[0] ** 2 / (2 * unseen)
    wanted = plain + np.expm1(-plain)
    return np.asarray(np.exp(np.interp(np.log(wanted), np.log(value), np.log(x))), np.float64)


def _time_to(x: FloatArray, unseen: float, precision: float) -> FloatArray:
    """Return U(x), the solution of unseen U' = 1 - n (U(x) - U(x - j)).

    n is the number of notices per unit of time, and U(x) = 0 for x <= 0.
    """
    often, jump = (1 - unseen) / precision, -np.log1p(-precision)
    width = jump / _STEPS_A_JUMP
    decay = np.exp(-often * width / unseen)
    spent = np.zeros((_JUMPS + 1) * _STEPS_A_JUMP + 1)  # those before are 0
    for step in range(_STEPS_A_JUMP, len(spent) - 1):
        jumped = (spent[step - _STEPS_A_JUMP] + spent[step - _STEPS_A_JUMP + 1]) / 2
        spent[step + 1] = decay * spent[step] + (1 - decay) * (1 / often + jumped)
    spent = spent[_STEPS_A_JUMP:]
    speed = unseen + often * jump
    beyond = np.maximum(x - _JUMPS * jump, 0.0) / speed
    early = -np.expm1(-often * x / unseen) / often
    return np.where(x < jump, early, np.interp(x, np.arange(len(spent)) * width, spent) + beyond)
