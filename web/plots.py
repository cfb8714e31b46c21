"""Lines, columns and bars as coordinates for an SVG in a template. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10

WIDTH, HEIGHT = 600, 160
"""Width and height in units of the drawing, which is scaled to its place in the page."""


@dataclass(frozen=True, slots=True)
class LinePlot:
    """A line, and the area below it.

    `points` are the points of an SVG polyline. `area` are the points of the polygon between the line and the base.
    `bottom` and `top` are the values at the lower and upper edge. `last` is the position of the last point.
    """

    points: str
    area: str
    bottom: float
    top: float
    last: tuple[float, float]


def line_plot(
    xs: Sequence[float], ys: Sequence[float], *, from_zero: bool = True, top: float | None = None
) -> LinePlot | None:
    """Return a line through the points; None if there are not two points with different x.

    With `from_zero`, the lower edge is 0. `top` is the value at the upper edge, by default a round number above all
    values.
    """
    pairs = [(x, y) for x, y in zip(xs, ys, strict=True) if isfinite(x) and isfinite(y)]
    if len(pairs) < 2 or pairs[0][0] == pairs[-1][0]:
        return None
    lowest, highest = min(y for _, y in pairs), max(y for _, y in pairs)
    bottom = 0.0 if from_zero else lowest - 0.1 * ((highest - lowest) or abs(highest) or 1.0)
    if top is None:
        top = rounded_up(highest) if from_zero else highest + 0.1 * ((highest - lowest) or abs(highest) or 1.0)
    left, right = pairs[0][0], pairs[-1][0]
    places = [
        (round(WIDTH * (x - left) / (right - left), 1), round(HEIGHT * (1 - (y - bottom) / (top - bottom)), 1))
        for x, y in pairs
    ]
    points = " ".join(f"{x:g},{y:g}" for x, y in places)
    return LinePlot(points, f"0,{HEIGHT} {points} {WIDTH},{HEIGHT}", bottom, top, places[-1])


def log_plot(xs: Sequence[float], ys: Sequence[float], bottom: float, top: float) -> str:
    """Return the points of a line over a logarithmic axis. Values of 0 and less are drawn at the base."""
    span = log10(top) - log10(bottom)
    left, width = xs[0], (xs[-1] - xs[0]) or 1.0
    heights = (max(log10(max(y, bottom)) - log10(bottom), 0.0) / span for y in ys)
    return " ".join(
        f"{round(WIDTH * (x - left) / width, 1):g},{round(HEIGHT * (1 - min(height, 1.0)), 1):g}"
        for x, height in zip(xs, heights, strict=True)
    )


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Return powers of ten below and above the positive values, at most six apart."""
    positive = [value for value in values if value > 0]
    if not positive:
        return 0.1, 1.0
    bottom, top = 10.0 ** floor(log10(min(positive))), 10.0 ** (floor(log10(max(positive))) + 1)
    return max(bottom, top / 1e6), top


def rounded_up(value: float) -> float:
    """Return the next number that is 1, 2, 2.5 or 5 times a power of ten, for an axis that is easy to read."""
    if value <= 0:
        return 1.0
    unit: float = 10.0 ** floor(log10(value))
    return next((step * unit for step in (1.0, 2.0, 2.5, 5.0) if value <= step * unit * (1 + 1e-9)), 10.0 * unit)


def shares(values: Sequence[float]) -> list[float]:
    """Return each value in percent of the largest value."""
    largest = max(values, default=0.0)
    return [round(100.0 * value / largest, 1) if largest > 0 else 0.0 for value in values]
