"""Every page as its site sees it and as the web does: a picture, and those it moves most by name. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from storage.values.ranks import ComparedRank

SIZE = 480
"""Units of the square drawing."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A power of ten on an axis: how far along, and what it says."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class LabelledPoint:
    """number: in the picture and in the list beside it; x, y: its place; times: the web's rank of it to the site's."""

    number: int
    page: int
    x: float
    y: float
    times: float


@dataclass(frozen=True, slots=True)
class RankScatter:
    """points: a path of dots; bounds: both axes are logarithmic from the first to the last tick; raised, lowered: those
    that the web ranks most above and below what their site makes of them."""

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
    bottom, top = floor(log10(min(values))), ceil(log10(max(values)))
    top = max(top, bottom + 1)

    def place(value: float) -> float:
        return round(SIZE * (log10(value) - bottom) / (top - bottom), 1)

    def labelled(first: int, chosen: Sequence[ComparedRank]) -> list[LabelledPoint]:
        return [
            LabelledPoint(
                number,
                each.page,
                place(each.as_site_sees),
                round(SIZE - place(each.as_web_sees), 1),
                each.as_web_sees / each.as_site_sees,
            )
            for number, each in enumerate(chosen, first)
        ]

    dots = "".join(
        f"M{place(each.as_site_sees):g} {round(SIZE - place(each.as_web_sees), 1):g}h0" for each in drawn
    )
    ticks = [Tick(place(10.0**power), f"{10.0**power:g}") for power in range(bottom, top + 1)]
    return RankScatter(dots, ticks, labelled(1, raised), labelled(1 + len(raised), lowered))
