"""Every page as its site sees it and as the web does: a picture, and those it moves most by name. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from storage.values.ranks import ComparedRank

SIZE: Final = 480
"""Units of the square drawing."""
_LEAST_TICKS: Final = 2
_BESIDE: Final = 12
_WIDTH, _HEIGHT = 20, 14
"""Of a number in the picture."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A power of ten on an axis: how far along, and what it says."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class LabelledPoint:
    """number: in the picture and in the list beside it; x, y: its place; label_x, label_y: that of its number, which
    lies apart where others are in the way; times: the web's rank of it to the site's."""

    number: int
    page: int
    x: float
    y: float
    label_x: int
    label_y: int
    times: float


@dataclass(frozen=True, slots=True)
class RankScatter:
    """points: a path of dots; ticks: of both axes, which are logarithmic; raised, lowered: those that the web ranks
    most above and below what their site makes of them."""

    points: str
    ticks: Sequence[Tick]
    raised: Sequence[LabelledPoint]
    lowered: Sequence[LabelledPoint]


def rank_scatter(
    drawn: Sequence[ComparedRank], raised: Sequence[ComparedRank], lowered: Sequence[ComparedRank]
) -> RankScatter | None:
    """None with nothing to draw. Ranks in multiples of the average page's, greater than 0."""
    everyone = [*drawn, *raised, *lowered]
    if not everyone:
        return None
    values = [value for each in everyone for value in (each.as_site_sees, each.as_web_sees)]
    bottom, top = _bounds(min(values), max(values))

    def along(value: float) -> float:
        return round(SIZE * (log10(value) - bottom) / (top - bottom), 1)

    def place(each: ComparedRank) -> tuple[float, float]:
        return along(each.as_site_sees), round(SIZE - along(each.as_web_sees), 1)

    dots = "".join(f"M{x:g} {y:g}h0" for x, y in map(place, drawn))
    ticks = [Tick(along(10.0**power), f"{10.0**power:g}") for power in range(ceil(bottom), floor(top) + 1)]
    labels = _labels([(*place(each), -_BESIDE) for each in raised] + [(*place(each), _BESIDE) for each in lowered])
    points = [
        LabelledPoint(number, each.page, *place(each), *label, each.as_web_sees / each.as_site_sees)
        for number, (each, label) in enumerate(zip((*raised, *lowered), labels, strict=True), 1)
    ]
    return RankScatter(dots, ticks, points[: len(raised)], points[len(raised) :])


def _bounds(least: float, most: float) -> tuple[float, float]:
    """Logarithms of the ends of an axis that holds these values: 1, 2 or 5 times a power of ten, or powers of ten if
    there would be too few of these between."""
    powers = range(floor(log10(least)) - 1, ceil(log10(most)) + 2)
    ends = [power + log10(step) for power in powers for step in (1.0, 2.0, 5.0)]
    bottom = max(end for end in ends if end <= log10(least))
    top = min(end for end in ends if end >= log10(most))
    if floor(top) - ceil(bottom) + 1 >= _LEAST_TICKS:
        return bottom, top
    return float(floor(bottom)), float(max(ceil(top), floor(bottom) + 1))


def _labels(points: Sequence[tuple[float, float, int]]) -> list[tuple[int, int]]:
    """Where the numbers of points go, none over another: (x, y, how far beside) -> (x, y). From the highest point
    down, each beside its own or, if others are there, below these."""
    taken: dict[int, tuple[int, int]] = {}
    for which in sorted(range(len(points)), key=lambda which: points[which][1]):
        x, y = round(points[which][0] + points[which][2]), round(points[which][1])
        while over := [at for at_x, at in taken.values() if abs(at_x - x) < _WIDTH and abs(at - y) < _HEIGHT]:
            y = max(over) + _HEIGHT
        taken[which] = x, y
    return [taken[which] for which in range(len(points))]
