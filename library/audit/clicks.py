"""How many clicks it takes to reach each page. Pure."""

from __future__ import annotations

from typing import Final

import numpy as np

from hinterland.analysis.graph import IntArray
from hinterland.library.audit.stored_links import LinkColumns

NEVER: Final = -1
"""The number of clicks for pages to which no path leads."""


def clicks_from(starts: IntArray, links: LinkColumns, ends: IntArray) -> IntArray:
    """Return the least number of clicks from any start page to each of n pages, shape (n,); NEVER if there is no path.

    `ends`, shape (n,), is the page to which each page leads by redirects, or -1. Redirects cost no click.
    """
    count = len(ends)
    offsets = np.searchsorted(links.sources, np.arange(count + 1))
    clicks = np.full(count, NEVER, np.int32)
    ring = np.unique(np.concatenate([starts, ends[starts][ends[starts] >= 0]]))
    clicks[ring] = 0
    distance = 0
    while len(ring):
        distance += 1
        begin, sizes = offsets[ring], offsets[ring + 1] - offsets[ring]
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        reached = links.targets[np.repeat(begin, sizes) + within]
        reached = np.concatenate([reached, ends[reached]])
        reached = np.unique(reached[reached >= 0])
        ring = reached[clicks[reached] == NEVER]
        clicks[ring] = distance
    return clicks
