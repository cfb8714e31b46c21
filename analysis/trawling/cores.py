"""Cores: pages that all link to the same pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from analysis.graph import BoolArray, Graph, IntArray, OffsetArray
from analysis.trawling.core_search import enumerated_cores, generated_cores
from analysis.trawling.fan_links import kept_links

_MOST_STEPS: Final = 200_000
"""Of the enumeration in the end, each along the links to a centre: a tenth of a second. What is left is dense, and has
so many cores that overlap that nobody could want them all."""


@dataclass(frozen=True, eq=False, slots=True)
class Cores:
    """k sets of j centres, and the fans of each, at least i: all that link to every one of the centres.

    centres: shape (k, j), each row ascending; the fans of core c are fans[offsets[c]:offsets[c + 1]], ascending.
    generated: so many, the first, came out of elimination and generation; the others were enumerated in what was left,
    left_fans pages, and overlap much. is_complete: False if the enumeration was cut short.
    """

    centres: IntArray
    offsets: OffsetArray
    fans: IntArray
    generated: int
    left_fans: int
    is_complete: bool

    def __len__(self) -> int:
        return len(self.centres)

    def fans_of(self, core: int) -> IntArray:
        return self.fans[self.offsets[core] : self.offsets[core + 1]]


def cores(links: Graph, i: int, j: int, *, most_steps: int = _MOST_STEPS) -> Cores:
    """All sets of j centres with at least i common fans, i and j ≥ 2.

    Elimination: fans with fewer than j links and centres with fewer than i are dropped. Generation: a fan with exactly
    j can be in one core only, that of its j centres; that is looked at, and the fan is dropped. Both until nothing
    changes; what is left is enumerated, in at most `most_steps` steps. No core is missed: as long as one is not found
    all its fans and centres are there, with at least j and i links.
    """
    if i < 2 or j < 2:
        raise ValueError(f"a core of {i} fans and {j} centres is none: both must be at least 2")
    is_fan, is_centre = np.ones(links.page_count, np.bool_), np.ones(links.page_count, np.bool_)
    generated = generated_cores(links.rows, links.transposed.rows, i, j, is_fan, is_centre)
    left_fans = int(is_fan.sum())
    none = np.empty(0, np.int32)
    enumerated, is_complete = (none, np.zeros(1, np.int64), none), not left_fans
    if left_fans and most_steps:
        left = kept_links(links, None, is_fan, is_centre)
        enumerated, is_complete = enumerated_cores(left.rows, left.transposed.rows, i, j, most_steps)
    centres = np.concatenate([generated[0], enumerated[0]]).reshape(-1, j)
    ends = np.concatenate([generated[1], generated[1][-1] + enumerated[1][1:]])
    fans = np.concatenate([generated[2], enumerated[2]])
    # A core that was found may be found again with the fans that were left then: the first time it had all.
    first = np.sort(np.unique(centres, axis=0, return_index=True)[1]) if len(centres) else np.empty(0, np.int64)
    sizes = np.diff(ends)[first]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Cores(
        centres[first],
        offsets,
        fans[np.repeat(ends[first] - offsets[:-1], sizes) + np.arange(offsets[-1])],
        int((first < len(generated[1]) - 1).sum()),
        left_fans,
        is_complete,
    )


def diverse(found: Cores, hosts: IntArray, i: int) -> BoolArray:
    """Which cores have fans on at least i hosts, shape (k,)."""
    cores_of_fans = np.repeat(np.arange(len(found)), np.diff(found.offsets))
    pairs = np.unique(cores_of_fans * (int(hosts.max(initial=0)) + 1) + hosts[found.fans])
    counts = np.bincount(pairs // (int(hosts.max(initial=0)) + 1), minlength=len(found))
    is_diverse: BoolArray = counts >= i
    return is_diverse
