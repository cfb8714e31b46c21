"""The bow tie drawn to scale: the area of each region is proportional to its number of pages. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt
from typing import Final

WIDTH: Final = 640
HEIGHT: Final = 330
_MIDDLE: Final = (320.0, 150.0)
_WHOLE_AREA: Final = 40_000.0
_INNER: Final = 0.3
"""Half the height of a wing next to the core, as a multiple of the core's radius."""
_FLARE: Final = 2.2
"""How much higher a wing is at its outer end, unless that makes it too short or too long."""
_SHORTEST: Final = 24.0
_LONGEST: Final = 290.0
_HIGHEST: Final = 140.0
_MOST_TENDRILS: Final = 12
_MOST_DOTS: Final = 90
_GOLDEN: Final = pi * (3 - sqrt(5))


@dataclass(frozen=True, slots=True)
class BowTiePicture:
    """The shapes of a bow tie.

    radius        the radius of the core
    wings         the polygons of IN and OUT; "" for an empty region
    tube          a path; "" if there are no tubes
    tube_width    the width of its stroke
    tendrils      paths, with the dots at their ends
    islands       the dots of disconnected pages
    """

    radius: float
    wings: tuple[str, str]
    tube: str
    tube_width: float
    tendrils: Sequence[tuple[str, float, float]]
    islands: Sequence[tuple[float, float]]


def bow_tie_picture(
    core: int, leads_in: int, led_out: int, tubes: int, tendrils: int, disconnected: int
) -> BowTiePicture:
    """Draw a bow tie whose regions have these numbers of pages."""
    total = max(core + leads_in + led_out + tubes + tendrils + disconnected, 1)
    radius = max(sqrt(_WHOLE_AREA * core / total / pi), 6.0)
    x, y = _MIDDLE
    sides = [(-1.0, leads_in / total), (1.0, led_out / total)]
    left, right = (_wing(side, share, radius) for side, share in sides)
    depth = y + max(radius, 40) + 26
    tube = f"M{x - radius - 60:g},{y + 20:g} Q{x:g},{depth + 40:g} {x + radius + 60:g},{y + 20:g}" if tubes else ""
    return BowTiePicture(
        round(radius, 1),
        (left, right),
        tube,
        max(min(60 * tubes / total, 18.0), 2.5) if tubes else 0.0,
        _tendrils(tendrils / total, radius, leads_in > 0, led_out > 0),
        _islands(disconnected / total),
    )


def _wing(side: float, share: float, radius: float) -> str:
    """Return the polygon of a trapezoid that widens outwards from the core."""
    if not share:
        return ""
    x, y = _MIDDLE
    area = _WHOLE_AREA * share  # the sum of both half-heights, times the length
    inner = _INNER * radius
    length = min(max(area / inner / (1 + _FLARE), area / (inner + _HIGHEST), _SHORTEST), _LONGEST)
    outer = max(area / length - inner, 2.0)
    near = x + side * radius * 0.9
    far = near + side * length
    corners = [(near, y - inner), (far, y - outer), (far, y + outer), (near, y + inner)]
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)


def _tendrils(share: float, radius: float, has_in: bool, has_out: bool) -> list[tuple[str, float, float]]:
    sides = [side for side, there in ((-1, has_in), (1, has_out)) if there]
    if not share or not sides:
        return []
    count = max(round(_MOST_TENDRILS * min(share / 0.25, 1.0)), 1)
    x, y = _MIDDLE
    found = []
    for number in range(count):
        side = sides[number % len(sides)]
        up = -1 if number // 2 % 2 else 1
        start = x + side * (radius + 14 + 15 * (number // 2)), y + up * 12
        end = start[0] + side * (26 + 5 * (number % 3)), y + up * (84 + 13 * (number % 4))
        path = f"M{start[0]:g},{start[1]:g} Q{start[0] + side * 34:g},{start[1] + up * 22:g} {end[0]:g},{end[1]:g}"
        found.append((path, end[0], end[1]))
    return found


def _islands(share: float) -> list[tuple[float, float]]:
    """Return dots below the tie, arranged like the seeds of a sunflower."""
    count = round(_MOST_DOTS * min(share / 0.3, 1.0)) if share else 0
    count = max(count, 1) if share else 0
    return [
        (
            round(_MIDDLE[0] + 26 * sqrt(number) * cos(number * _GOLDEN), 1),
            round(HEIGHT - 26 + 2.2 * sqrt(number) * sin(number * _GOLDEN), 1),
        )
        for number in range(count)
    ]
