"""The search for cores by elimination and generation, in compiled loops."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import BoolArray, IntArray, Rows
from hinterland.lab.trawling.ragged import no_rows, with_row, without_room

FoundCores = tuple[Rows, Rows]
"""The centres of each core, and its fans, both ascending."""


@compiled
def generated_cores(rows: Rows, inlinks: Rows, i: int, j: int, is_fan: BoolArray, is_centre: BoolArray) -> FoundCores:
    """Return the cores, some of them more than once. Afterwards, is_fan and is_centre mark the remaining pages."""
    offsets, targets = rows
    centres, fans, count = no_rows(), no_rows(), 0
    core = np.empty(j, np.int32)
    has_changed = True
    while has_changed:
        has_changed = False
        for page in range(len(is_fan)):
            if not is_fan[page]:
                continue
            degree = 0
            for link in range(offsets[page], offsets[page + 1]):
                if is_centre[targets[link]]:
                    if degree < j:
                        core[degree] = targets[link]
                    degree += 1
            if degree > j:
                continue
            has_changed = True
            if degree == j:
                common = _fans_of(rows, inlinks, core, is_fan)
                if len(common) >= i:
                    centres, fans = with_row(centres, count, core), with_row(fans, count, common)
                    count += 1
            is_fan[page] = False
        has_changed |= _without_lone_centres(inlinks, i, is_fan, is_centre)
    return without_room(centres, count), without_room(fans, count)


@compiled
def _fans_of(rows: Rows, inlinks: Rows, core: IntArray, is_fan: BoolArray) -> IntArray:
    """Return the fans that link to every centre of a core, ascending."""
    in_offsets, sources = inlinks
    least = core[0]  # the centre with the fewest links
    for centre in core[1:]:
        if in_offsets[centre + 1] - in_offsets[centre] < in_offsets[least + 1] - in_offsets[least]:
            least = centre
    found = np.empty(in_offsets[least + 1] - in_offsets[least], np.int32)
    count = 0
    for other in sources[in_offsets[least] : in_offsets[least + 1]]:
        is_common = is_fan[other]
        for centre in core:
            is_common = is_common and (centre == least or links_to(rows, other, centre))
        if is_common:
            found[count] = other
            count += 1
    return found[:count]


@compiled
def links_to(rows: Rows, page: int, target: int) -> bool:
    """Return whether a page links to the target, by binary search."""
    offsets, targets = rows
    low, high = offsets[page], offsets[page + 1]
    while low < high:
        middle = (low + high) // 2
        if targets[middle] < target:
            low = middle + 1
        else:
            high = middle
    return bool(low < offsets[page + 1] and targets[low] == target)


@compiled
def _without_lone_centres(inlinks: Rows, i: int, is_fan: BoolArray, is_centre: BoolArray) -> bool:
    """Drop the centres to which fewer than i fans link. Return whether any centre was dropped."""
    in_offsets, sources = inlinks
    has_changed = False
    for page in range(len(is_centre)):
        if is_centre[page]:
            degree = 0
            for link in range(in_offsets[page], in_offsets[page + 1]):
                degree += int(is_fan[sources[link]])
            if degree < i:
                is_centre[page] = False
                has_changed = True
    return has_changed
