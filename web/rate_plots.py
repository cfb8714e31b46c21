"""Plots of the rates of a run. Their axes fit most values, and the pointer shows the value at its position. Pure."""

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
"""If there are fewer points, no point is treated as an outlier."""
_USUAL: Final = 0.95
_EXCEPTIONAL: Final = 3.0


@dataclass(frozen=True, slots=True)
class Spot:
    """A vertical strip of the plot, with the value that is shown for it and its time in seconds since the run began."""

    seconds: float
    value: float


@dataclass(frozen=True, slots=True)
class RatePlot:
    """The plot of one rate.

    `name` says what is counted, and `now` is the rate of the last ten seconds of the run. `peak` is the highest value
    if it lies above the upper edge, else None.
    """

    name: str
    is_bytes: bool
    now: float
    values: Sequence[float]
    line: LinePlot | None
    peak: float | None
    spots: Sequence[Spot]


def rate_plot(name: str, seconds: Sequence[float], values: Sequence[float], now: float, *, is_bytes: bool) -> RatePlot:
    """Return the plot of a rate over time."""
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
    """Return the upper end of an axis that begins at 0: a round number above the highest value.

    A few values far above all others, as at the start of many crawls, are ignored, because they would flatten the rest.
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
    """Divide the plot into at most 60 vertical strips of equal width, and return the value to show for each.

    The value is that of the point nearest to the centre of the strip.
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
