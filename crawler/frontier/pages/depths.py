"""The depth of pages: the number of links on the shortest path from a seed, over links that may be followed.

While a crawl runs, the depth of a page is the length of the shortest path found so far. If a shorter path to a page is
found after its links were read, the pages it links to are nearer, too. With a depth limit, the depths decide which
pages are fetched, and the order of the crawl must not matter. So all paths are examined once more when nothing is left
to visit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.settings import RobotsSettings
from hinterland.storage.values.records import StoredOutlinks

Depths = NDArray[np.int32]


@dataclass(frozen=True, eq=False, slots=True)
class FollowedLinks:
    """Links that may be followed.

    `sources` and `targets` are page numbers; `lengths` are 1 for links and 0 for redirects; shape (links,) each.
    """

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    lengths: NDArray[np.int8]


def links_to_follow(outlinks: StoredOutlinks, obeyed: RobotsSettings) -> FollowedLinks:
    """Return the links that may be followed; `obeyed` says which nofollow marks are obeyed."""
    followed, counts = may_be_followed(outlinks, obeyed), outlinks.counts
    lengths = np.where(outlinks.is_redirect, 0, 1).astype(np.int8)
    return FollowedLinks(
        np.repeat(outlinks.sources, counts)[followed], outlinks.targets[followed], np.repeat(lengths, counts)[followed]
    )


def may_be_followed(outlinks: StoredOutlinks, obeyed: RobotsSettings) -> NDArray[np.bool_]:
    """Return whether each target may be followed, by the same rule as during the crawl; shape (targets,)."""
    is_obeyed = np.where(
        outlinks.is_nofollow, obeyed.heeds_nofollow(of_page=True), obeyed.heeds_nofollow(of_page=False)
    )
    is_forbidden = np.repeat(is_obeyed, outlinks.counts) & outlinks.nofollow
    return ~(is_forbidden | np.repeat(outlinks.is_broken_off, outlinks.counts))


def shortest(depths: Depths, links: FollowedLinks, max_depth: int) -> Depths:
    """Return the depths, shape (n,), lowered where a shorter path of at most max_depth links exists.

    Takes O(links · L) time, where L is the length of the longest path that becomes shorter.
    """
    found = depths.copy()
    sources, targets, lengths = links.sources, links.targets, links.lengths
    while True:
        ahead = found[sources] + lengths
        is_nearer = (ahead < found[targets]) & (ahead <= max_depth)
        if not is_nearer.any():
            return found
        np.minimum.at(found, targets[is_nearer], ahead[is_nearer])
