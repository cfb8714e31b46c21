"""Charts with axes, as coordinates for an SVG in a template. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Final, TypeVar

WIDTH: Final = 440
HEIGHT: Final = 290
LEFT: Final = 64
RIGHT: Final = 14
TOP: Final = 14
BOTTOM: Final = 46
"""Sizes in units of the drawing. Letters are 13 units high, which is legible even at the width of a phone."""

Point = tuple[float, float]
T = TypeVar("T")

_ROWS: Final = 12


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from `low` to `high`; `ticks` holds the values to mark and their labels."""

    title: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    is_log: bool = False

    def share(self, value: float) -> float:
        """Return the position of a value between the ends, from 0 to 1."""
        if self.is_log:
            return (log10(max(value, self.low)) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return (value - self.low) / (self.high - self.low)


def log_axis(title: str, values: Iterable[float]) -> Axis:
    """Return a logarithmic axis that begins and ends at powers of ten and includes all positive values."""
    positive = [value for value in values if value > 0 and isfinite(value)] or [1.0]
    low, high = floor(log10(min(positive)) + 1e-9), ceil(log10(max(positive)) - 1e-9)
    high = max(high, low + 1)
    step = ceil((high - low) / 6)
    ticks = [(10.0**power, _power(power)) for power in range(low, high + 1, step)]
    return Axis(title, 10.0**low, 10.0**high, ticks, is_log=True)


def linear_axis(title: str, values: Iterable[float], *, is_share: bool = False) -> Axis:
    """Return an axis from 0 to a round number above the largest value; with `is_share`, labelled in percent."""
    largest = max((value for value in values if isfinite(value)), default=1.0) or 1.0
    unit = 10.0 ** floor(log10(largest))
    steps = (factor * unit for factor in (0.2, 0.25, 0.5, 1.0, 2.0, 2.5))
    step = next(step for step in steps if largest <= 5 * step * (1 + 1e-9))
    count = ceil(largest / step - 1e-9)
    digits = 0 if step * 100 >= 1 else 2
    labels = (f"{100 * place * step:.{digits}f} %" if is_share else _short(place * step) for place in range(count + 1))
    return Axis(title, 0.0, count * step, [(place * step, label) for place, label in enumerate(labels)])


def _power(power: int) -> str:
    if 0 <= power <= 3:
        return f"{10**power:,}"
    return "10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its points in the form of an SVG polyline, and the CSS class of its style."""

    points: str
    style: str
    name: str


@dataclass(frozen=True, slots=True)
class Dots:
    """A series of dots, with the CSS class of its style."""

    places: Sequence[Point]
    style: str
    name: str


@dataclass(frozen=True, slots=True)
class Columns:
    """A series of columns, each with x, y, width and height."""

    boxes: Sequence[tuple[float, float, float, float]]
    style: str
    name: str


@dataclass(frozen=True, slots=True)
class Whiskers:
    """Error bars, each with its x and the y of both ends."""

    bars: Sequence[tuple[float, float, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A finished chart.

    `label` describes it for people who cannot see it. `x_ticks` and `y_ticks` hold positions and labels.
    """

    label: str
    x_title: str
    y_title: str
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    lines: Sequence[Line]
    dots: Sequence[Dots]
    columns: Sequence[Columns]
    whiskers: Sequence[Whiskers]

    @property
    def named(self) -> list[tuple[str, str]]:
        """The style and name of every series that has a name, for the legend."""
        every = [(each.style, each.name) for group in (self.dots, self.columns, self.lines) for each in group]
        return [(style, name) for style, name in every if name]


class Drawing:
    """A chart under construction; mutable.

    Values beyond the axes are clipped.
    """

    def __init__(self, x: Axis, y: Axis) -> None:
        """Start empty, with these axes."""
        self._x, self._y = x, y
        self._lines: list[Line] = []
        self._dots: list[Dots] = []
        self._columns: list[Columns] = []
        self._whiskers: list[Whiskers] = []

    def line(self, points: Iterable[Point], style: str, name: str = "") -> None:
        """Add a line."""
        places = " ".join(f"{x:g},{y:g}" for x, y in map(self._place, points))
        self._lines.append(Line(places, style, name))

    def dots(self, points: Iterable[Point], style: str, name: str = "") -> None:
        """Add dots."""
        self._dots.append(Dots([self._place(point) for point in points], style, name))

    def columns(self, points: Sequence[Point], style: str, name: str = "") -> None:
        """Add columns. Each is centred at its x, and is as wide as the distance between columns."""
        gap = min((b[0] - a[0] for a, b in pairwise(points)), default=1.0)
        width = max(0.85 * gap / (self._x.high - self._x.low) * (WIDTH - LEFT - RIGHT), 0.6)
        boxes = []
        for point in points:
            x, y = self._place(point)
            boxes.append((round(x - width / 2, 1), y, round(width, 2), round(HEIGHT - BOTTOM - y, 1)))
        self._columns.append(Columns(boxes, style, name))

    def whiskers(self, points: Iterable[tuple[float, float, float]]) -> None:
        """Add error bars from (x, y, half the width of the interval)."""
        bars = []
        for x, y, error in points:
            place, low = self._place((x, y - error))
            bars.append((place, low, self._place((x, y + error))[1]))
        self._whiskers.append(Whiskers(bars))

    def chart(self, label: str) -> Chart:
        """Return the finished chart."""
        return Chart(
            label=label,
            x_title=self._x.title,
            y_title=self._y.title,
            x_ticks=[(self._place((value, self._y.low))[0], text) for value, text in self._x.ticks],
            y_ticks=[(self._place((self._x.low, value))[1], text) for value, text in self._y.ticks],
            lines=self._lines,
            dots=self._dots,
            columns=self._columns,
            whiskers=self._whiskers,
        )

    def _place(self, point: Point) -> Point:
        x, y = (min(max(axis.share(value), 0.0), 1.0) for axis, value in ((self._x, point[0]), (self._y, point[1])))
        return round(LEFT + x * (WIDTH - LEFT - RIGHT), 1), round(HEIGHT - BOTTOM - y * (HEIGHT - BOTTOM - TOP), 1)


def some(rows: Sequence[T], count: int = _ROWS) -> list[T]:
    """Return at most `count` rows, evenly spaced, including the first and the last."""
    if len(rows) <= count:
        return list(rows)
    return [rows[round(i * (len(rows) - 1) / (count - 1))] for i in range(count)]


SPARK_WIDTH: Final = 96
SPARK_HEIGHT: Final = 26


def spark(values: Sequence[float], shares: Sequence[float]) -> str:
    """Return the points of a small line without axes, for an SVG polyline."""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return " ".join(
        f"{3 + share * (SPARK_WIDTH - 6):.1f},{SPARK_HEIGHT - 4 - (value - low) / span * (SPARK_HEIGHT - 8):.1f}"
        for share, value in zip(shares, values, strict=True)
    )
