"""Cores: pages that all link to the same pages."""

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
"""Of the search for closed cores in the end: about two seconds."""


@dataclass(frozen=True, eq=False, slots=True)
class Cores:
    """k sets of at least j centres, and of each all pages, at least i, that link to every one of these: its fans.

    centre_rows, fan_rows: offsets and numbers, ascending in each row. generated: the first so many came out of
    elimination and generation; each has j centres. The others lie in what was left then, left_fans pages that overlap
    much, and are closed: all centres that their fans have in common, so that every core there is within one of them.
    is_complete: False if the search for these was cut short.
    """

    centre_rows: Rows
    fan_rows: Rows
    generated: int
    left_fans: int
    is_complete: bool

    def __len__(self) -> int:
        return len(self.fan_rows[0]) - 1

    def centres_of(self, core: int) -> IntArray:
        offsets, centres = self.centre_rows
        return centres[offsets[core] : offsets[core + 1]]

    def fans_of(self, core: int) -> IntArray:
        offsets, fans = self.fan_rows
        return fans[offsets[core] : offsets[core + 1]]


def cores(links: Graph, i: int, j: int, *, most_steps: int = _MOST_STEPS) -> Cores:
    """All sets of j centres with at least i common fans, i and j ≥ 2; where they overlap much, the closed cores that
    they lie in.

    Elimination: fans with fewer than j links and centres with fewer than i are dropped. Generation: a fan with exactly
    j can be in one core only, that of its j centres; that is looked at, and the fan is dropped. Both until nothing
    changes; in what is left closed cores are searched for, in at most `most_steps` steps. No core is missed: as long as
    one is not found all its fans and centres are there, with at least j and i links.
    """
    if i < 2 or j < 2:
        raise ValueError(f"a core of {i} fans and {j} centres is none: both must be at least 2")
    is_fan, is_centre = np.ones(links.page_count, np.bool_), np.ones(links.page_count, np.bool_)
    centres, fans = generated_cores(links.rows, links.transposed.rows, i, j, is_fan, is_centre)
    # A core that was found may be found again with the fans that were left then: the first time it had all.
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
    """Which cores have fans on at least i hosts, shape (k,)."""
    offsets, fans = found.fan_rows
    cores_of_fans = np.repeat(np.arange(len(found)), np.diff(offsets))
    pairs = np.unique(cores_of_fans * (int(hosts.max(initial=0)) + 1) + hosts[fans])
    counts = np.bincount(pairs // (int(hosts.max(initial=0)) + 1), minlength=len(found))
    is_diverse: BoolArray = counts >= i
    return is_diverse
