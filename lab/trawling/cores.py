"""Cores: sets of pages (fans) that all link to the same pages (centres)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from hinterland.analysis.graph import BoolArray, Graph, IntArray, OffsetArray, Rows
from hinterland.lab.trawling.closed_cores import closed_cores
from hinterland.lab.trawling.core_search import generated_cores
from hinterland.lab.trawling.fan_links import kept_links

_MOST_STEPS: Final = 5_000_000
"""The limit of the final search for closed cores: about two seconds."""


@dataclass(frozen=True, eq=False, slots=True)
class Cores:
    """The cores of a graph. A core is a set of pages, its centres, and all pages that link to each of them, its fans.

    Each core has at least j centres and at least i fans. `centre_rows` and `fan_rows` hold the page numbers of each
    core as offsets and numbers, ascending in each row. The first `generated` cores came from
    elimination and generation; each has j centres. The remaining `left_fans` fans have links that overlap heavily, and
    the other cores are the closed cores among them. A closed core has all centres that its fans have in common, so
    every core of these fans lies within a closed core. `is_complete` is False if the search for closed cores was cut
    short.
    """

    centre_rows: Rows
    fan_rows: Rows
    generated: int
    left_fans: int
    is_complete: bool

    def __len__(self) -> int:
        """Return the number of cores, k."""
        return len(self.fan_rows[0]) - 1

    def centres_of(self, core: int) -> IntArray:
        """Return the centres of a core, ascending."""
        offsets, centres = self.centre_rows
        return centres[offsets[core] : offsets[core + 1]]

    def fans_of(self, core: int) -> IntArray:
        """Return the fans of a core, ascending."""
        offsets, fans = self.fan_rows
        return fans[offsets[core] : offsets[core + 1]]


def cores(links: Graph, i: int, j: int, *, most_steps: int = _MOST_STEPS) -> Cores:
    """Find all sets of j centres with at least i common fans, i and j ≥ 2.

    If such sets overlap heavily, the closed cores that contain them are found instead. Two steps alternate until
    nothing changes:

        elimination    drops fans with fewer than j links, and centres with fewer than i links
        generation     takes each fan with exactly j links, which can only be in the core of its j centres; checks
                       this core, and drops the fan

    The remaining pages are searched for closed cores, in at most `most_steps` steps. No core is missed, because until
    it is found, its fans keep at least j links and its centres at least i. Raises ValueError if i or j is less than 2.
    """
    if i < 2 or j < 2:
        raise ValueError(f"a core of {i} fans and {j} centres: both numbers must be at least 2")
    is_fan, is_centre = np.ones(links.page_count, np.bool_), np.ones(links.page_count, np.bool_)
    centres, fans = generated_cores(links.rows, links.transposed.rows, i, j, is_fan, is_centre)
    # A core may be found again with only the fans left by then; the first time, it had all of them.
    known = {core: place for place, core in reversed(list(enumerate(_tuples(centres))))}
    first = np.sort(np.fromiter(known.values(), np.int64, len(known)))
    centres, fans = _chosen(centres, first), _chosen(fans, first)
    left_fans, is_complete = int(is_fan.sum()), not is_fan.any()
    if left_fans and most_steps:
        pages = np.flatnonzero(is_fan | is_centre).astype(np.int32)
        left = kept_links(links.among(pages), None, is_fan[pages], is_centre[pages])
        closed, is_complete = closed_cores(left.rows, left.transposed.rows, i, j, most_steps)
        left_centres, left_fans_of = ((offsets, pages[numbers]) for offsets, numbers in closed)
        new = np.array([place for place, core in enumerate(_tuples(left_centres)) if core not in known], np.int64)
        centres = _joined(centres, _chosen(left_centres, new))
        fans = _joined(fans, _chosen(left_fans_of, new))
    return Cores(centres, fans, len(first), left_fans, is_complete)


def _tuples(rows: Rows) -> Iterator[tuple[int, ...]]:
    offsets, numbers = rows
    return (tuple(numbers[begin:end].tolist()) for begin, end in pairwise(offsets.tolist()))


def _chosen(rows: Rows, places: OffsetArray) -> Rows:
    offsets, numbers = rows
    sizes = np.diff(offsets)[places]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return ends, numbers[np.repeat(offsets[places] - ends[:-1], sizes) + np.arange(ends[-1])]


def _joined(one: Rows, other: Rows) -> Rows:
    return np.concatenate([one[0], one[0][-1] + other[0][1:]]), np.concatenate([one[1], other[1]])


def diverse(found: Cores, hosts: IntArray, i: int) -> BoolArray:
    """Return which cores have fans on at least i hosts, shape (k,)."""
    offsets, fans = found.fan_rows
    cores_of_fans = np.repeat(np.arange(len(found)), np.diff(offsets))
    pairs = np.unique(cores_of_fans * (int(hosts.max(initial=0)) + 1) + hosts[fans])
    counts = np.bincount(pairs // (int(hosts.max(initial=0)) + 1), minlength=len(found))
    is_diverse: BoolArray = counts >= i
    return is_diverse
