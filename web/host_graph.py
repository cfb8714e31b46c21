"""The graph of links between the hosts with most links, drawn on a circle. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, degrees, log1p, pi, sin, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.storage.values.links import StoredCrawl

MOST_HOSTS: Final = 24
RADIUS: Final = 180
_LABEL_GAP: Final = 16
_WIDEST_EDGE: Final = 9.0
_THINNEST_EDGE: Final = 0.7
_LARGEST_DOT: Final = 11.0
_SMALLEST_DOT: Final = 3.0
_BEND: Final = 0.3
"""How strongly edges bend: the control point of their curve is the midpoint of the two hosts, moved to this fraction of
its distance from the centre.
"""

Numbers = NDArray[np.int64]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class HostLinks:
    """The k hosts with most links to and from other hosts.

    `hosts` are the numbers of the hosts, and `pages` the numbers of their fetched pages, shape (k,). `links[a, b]`
    counts the links from host a to host b, shape (k, k); links within a host count as 0. `linked` is the number of all
    hosts with fetched pages that have links to or from other hosts.
    """

    hosts: Numbers
    pages: Numbers
    links: Numbers
    linked: int


@dataclass(frozen=True, slots=True)
class HostDot:
    """A host in the picture, as a dot with a label.

    `place` is the index of the host. `label_x` and `label_y` are a point at which the label begins or, if `ends`, ends.
    The label is rotated about this point by `turn` degrees.
    """

    place: int
    x: float
    y: float
    radius: float
    label_x: float
    label_y: float
    turn: float
    ends: bool


@dataclass(frozen=True, slots=True)
class HostEdge:
    """The links between two hosts, as a line in the picture.

    `there` counts the links from the first host to the second, `back` the links in the other direction.
    """

    first: int
    second: int
    there: int
    back: int
    path: str
    width: float


@dataclass(frozen=True, slots=True)
class HostPicture:
    """The picture of the hosts. Edges are in ascending order of their links, so the strongest are drawn on top."""

    dots: Sequence[HostDot]
    edges: Sequence[HostEdge]


def host_links(crawl: StoredCrawl, most: int = MOST_HOSTS) -> HostLinks:
    """Return the distinct links among hosts with fetched pages."""
    count = int(crawl.hosts.max(initial=-1)) + 1
    pages = np.bincount(crawl.hosts[crawl.is_fetched], minlength=count)
    sources = np.repeat(crawl.hosts, crawl.outdegrees).astype(np.int64)
    targets = crawl.hosts[crawl.targets].astype(np.int64)
    is_between = (sources != targets) & (pages[sources] > 0) & (pages[targets] > 0)
    sources, targets = sources[is_between], targets[is_between]
    ties = np.bincount(sources, minlength=count) + np.bincount(targets, minlength=count)
    linked = np.flatnonzero(ties)
    chosen = np.sort(linked[np.argsort(-ties[linked], kind="stable")][:most])
    place = np.full(count, -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    is_shown = (place[sources] >= 0) & (place[targets] >= 0)
    links = np.zeros((len(chosen), len(chosen)), np.int64)
    np.add.at(links, (place[sources[is_shown]], place[targets[is_shown]]), 1)
    return HostLinks(chosen, pages[chosen].astype(np.int64), links, len(linked))


def host_picture(found: HostLinks) -> HostPicture:
    """Return the picture: hosts on a circle, in the order of the Fiedler vector of their links.

    In this order, closely linked hosts are neighbours (Fiedler 1973).
    """
    count = len(found.hosts)
    both = found.links + found.links.T
    angles = np.empty(count)
    angles[_order(both)] = 2 * pi * np.arange(count) / max(count, 1) - pi / 2
    largest = sqrt(float(found.pages.max(initial=1)))
    most = log1p(float(both.max(initial=1)))
    dots = [_dot(place, float(angles[place]), sqrt(float(found.pages[place])) / largest) for place in range(count)]
    pairs = [(int(both[a, b]), a, b) for a in range(count) for b in range(a) if both[a, b]]
    edges = [
        HostEdge(
            a, b, int(found.links[a, b]), int(found.links[b, a]), _path(dots[a], dots[b]),
            round(max(_THINNEST_EDGE, _WIDEST_EDGE * (log1p(links) / most) ** 3), 2),
        )
        for links, a, b in sorted(pairs)
    ]  # fmt: skip
    return HostPicture(dots, edges)


def _order(both: Numbers) -> Numbers:
    """Return the order of hosts along the circle, by the second eigenvector of the normalised Laplacian."""
    weights = np.log1p(both.astype(np.float64))
    if len(weights) < 3:
        return np.arange(len(weights))
    scale = 1.0 / np.sqrt(weights.sum(axis=1).clip(min=1e-9))
    _, vectors = np.linalg.eigh(np.eye(len(weights)) - scale[:, None] * weights * scale)
    return np.argsort(vectors[:, 1] * scale, kind="stable").astype(np.int64)


def _dot(place: int, angle: float, size: float) -> HostDot:
    ends = cos(angle) < 0
    gap = RADIUS + _LABEL_GAP
    return HostDot(
        place=place,
        x=round(RADIUS * cos(angle), 1),
        y=round(RADIUS * sin(angle), 1),
        radius=round(max(_SMALLEST_DOT, _LARGEST_DOT * size), 1),
        label_x=round(gap * cos(angle), 1),
        label_y=round(gap * sin(angle), 1),
        turn=round(degrees(angle) + (180 if ends else 0), 1),
        ends=ends,
    )


def _path(first: HostDot, second: HostDot) -> str:
    x, y = _BEND * (first.x + second.x) / 2, _BEND * (first.y + second.y) / 2
    return f"M{first.x:g} {first.y:g}Q{x:.1f} {y:.1f} {second.x:g} {second.y:g}"
