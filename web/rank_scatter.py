"""A scatter plot of the ranks of pages within their site and in the web; the largest differences are named. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, hypot, log10
from typing import Final

from hinterland.storage.values.ranks import ComparedRank

SIZE: Final = 480
"""Units of the square drawing."""
_LEAST_TICKS: Final = 2
_BESIDE: Final = 12
_TOGETHER: Final = 7.0
"""Points closer than this look like one dot and share a label."""
_WIDTH, _HEIGHT, _LETTER = 20, 14, 8
"""Sizes of a number in the picture, and of one of its digits."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A power of ten on an axis, with its position and label."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class LabelledPoint:
    """A page that is named in the list beside the picture.

    `number` is its number in the list. `x` and `y` are the position of its dot. `label` is the text at the dot: the
    numbers of all points at nearly the same position, or "" if another of these points has the label. `label_x` and
    `label_y` are the position of the label, which is moved away from other labels. `times` is the page's rank in the
    web divided by its rank within its site.
    """

    number: int
    label: str
    page: int
    x: float
    y: float
    label_x: int
    label_y: int
    times: float


@dataclass(frozen=True, slots=True)
class RankScatter:
    """The picture.

    `points` is an SVG path of dots. `ticks` are the ticks of both logarithmic axes. `raised` and `lowered` are the
    pages that rank highest or lowest in the web, compared with their rank within the site.
    """

    points: str
    ticks: Sequence[Tick]
    raised: Sequence[LabelledPoint]
    lowered: Sequence[LabelledPoint]


def rank_scatter(
    drawn: Sequence[ComparedRank], raised: Sequence[ComparedRank], lowered: Sequence[ComparedRank]
) -> RankScatter | None:
    """Return the picture; None if there is nothing to draw.

    Ranks are positive, in multiples of the average rank.
    """
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
    sides = ((raised, -_BESIDE, 1), (lowered, _BESIDE, len(raised) + 1))
    points = [point for side, beside, first in sides for point in _numbered(list(map(place, side)), beside, first)]
    labelled = [
        LabelledPoint(number, point[3], each.page, *point[:2], *label, each.as_web_sees / each.as_site_sees)
        for number, (each, point, label) in enumerate(zip((*raised, *lowered), points, _labels(points), strict=True), 1)
    ]
    return RankScatter(dots, ticks, labelled[: len(raised)], labelled[len(raised) :])


def _bounds(least: float, most: float) -> tuple[float, float]:
    """Return the logarithms of the two ends of an axis for these values.

    The ends are 1, 2 or 5 times a power of ten. If too few powers of ten lay between them, powers of ten are chosen as
    ends.
    """
    powers = range(floor(log10(least)) - 1, ceil(log10(most)) + 2)
    ends = [power + log10(step) for power in powers for step in (1.0, 2.0, 5.0)]
    bottom = max(end for end in ends if end <= log10(least))
    top = min(end for end in ends if end >= log10(most))
    if floor(top) - ceil(bottom) + 1 >= _LEAST_TICKS:
        return bottom, top
    return float(floor(bottom)), float(max(ceil(top), floor(bottom) + 1))


def _numbered(places: Sequence[tuple[float, float]], beside: int, first: int) -> list[tuple[float, float, int, str]]:
    """Return (x, y, offset of the label, text of the label) of each point.

    Points that are close together share the label of the first of them. `first` is the number of the first point.
    """
    groups: list[list[int]] = []
    for which, (x, y) in enumerate(places):
        near = [group for group in groups if hypot(x - places[group[0]][0], y - places[group[0]][1]) < _TOGETHER]
        if near:
            near[0].append(which)
        else:
            groups.append([which])
    said = {group[0]: _spoken([first + which for which in group]) for group in groups}
    return [(x, y, beside, said.get(which, "")) for which, (x, y) in enumerate(places)]


def _spoken(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text, with consecutive numbers joined, such as "1–3, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    joint = {1: ", ", 2: ", "}
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}{joint.get(len(run), '–')}{run[-1]}" for run in runs)


def _labels(points: Sequence[tuple[float, float, int, str]]) -> list[tuple[int, int]]:
    """Return the position (x, y) of the label of each point, so that labels do not overlap.

    Points with text are placed first, from the highest point down. Each label is placed next to its point or, if other
    labels are there, below them.
    """
    taken: dict[int, tuple[int, int, int, int]] = {}
    for which in sorted(range(len(points)), key=lambda which: (not points[which][3], points[which][1])):
        x, y, beside, said = points[which]
        at_x, at_y, width = round(x + beside), round(y), max(_WIDTH, _LETTER * len(said))
        left, right = (at_x - width, at_x) if beside < 0 else (at_x, at_x + width)
        while over := [
            other_y
            for other_x, other_y, other_left, other_right in taken.values()
            if abs(other_y - at_y) < _HEIGHT
            and (abs(other_x - at_x) < _WIDTH or (left < other_right and other_left < right))
        ]:
            at_y = max(over) + _HEIGHT
        taken[which] = at_x, at_y, left, right
    return [taken[which][:2] for which in range(len(points))]
