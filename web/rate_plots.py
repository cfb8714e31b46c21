"""Rates over the course of a run as plots whose axis fits and whose values can be read where the pointer is. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Final

from hinterland.web.plots import LinePlot, line_plot

_STEPS: Final = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_SPOTS: Final = 60
_FEW: Final = 12
"""Of fewer points none is an exception."""
_USUAL: Final = 0.95
_EXCEPTIONAL: Final = 3.0


@dataclass(frozen=True, slots=True)
class Spot:
    """What a strip of a plot says: seconds since the run began, and the value then."""

    seconds: float
    value: float


@dataclass(frozen=True, slots=True)
class RatePlot:
    """name: of what is counted; is_bytes: whether it is bytes; now: of the last ten seconds of the run. peak: the
    highest value if it lies beyond the top, else None.
    """

    name: str
    is_bytes: bool
    now: float
    values: Sequence[float]
    line: LinePlot | None
    peak: float | None
    spots: Sequence[Spot]


def rate_plot(name: str, seconds: Sequence[float], values: Sequence[float], now: float, *, is_bytes: bool) -> RatePlot:
    top = fitting_top(values)
    highest = max(values, default=0.0)
    line = line_plot(seconds, [min(value, top) for value in values], top=top)
    return RatePlot(
        name=name,
        is_bytes=is_bytes,
        now=now,
        values=values,
        line=line,
        peak=highest if highest > top else None,
        spots=spots(seconds, values),
    )


def fitting_top(values: Sequence[float]) -> float:
    """Where an axis from 0 ends: a little above the highest value, at a number people read at a glance. A few values
    that are much higher than all others, as when many crawls begin, do not count: they would press the rest flat.
    """
    highest = max(values, default=0.0)
    if highest <= 0:
        return 1.0
    if len(values) >= _FEW:
        usual = sorted(values)[int(_USUAL * (len(values) - 1))]
        if 0 < _EXCEPTIONAL * usual < highest:
            highest = 1.25 * usual
    unit: float = 10.0 ** floor(log10(highest))
    return next((step * unit for step in _STEPS if highest <= step * unit * (1 + 1e-9)), 10.0 * unit)


def spots(seconds: Sequence[float], values: Sequence[float]) -> list[Spot]:
    """What strips of one width say that lie side by side over the whole plot: the point nearest to the middle of each.
    There are 60 at most.
    """
    if len(seconds) < 2 or seconds[0] == seconds[-1]:
        return []
    count = min(len(seconds), _SPOTS)
    begin, length = seconds[0], seconds[-1] - seconds[0]
    found = []
    for place in range(count):
        middle = begin + length * (place + 0.5) / count
        after = min(bisect_left(seconds, middle), len(seconds) - 1)
        before = max(after - 1, 0)
        nearest = after if seconds[after] - middle < middle - seconds[before] else before
        found.append(Spot(seconds[nearest], values[nearest]))
    return found
