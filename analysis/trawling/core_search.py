"""The search for cores, compiled: by elimination and generation first, then by enumeration of what is left."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import compiled
from analysis.graph import BoolArray, IntArray, Rows

Integers = NDArray[np.signedinteger[Any]]
CoreArrays = tuple[Integers, Integers, Integers]
"""k cores: k times j centres, k + 1 offsets and the fans they point into. While they are collected all three have room
for more."""


@compiled
def generated_cores(
    rows: Rows, inlinks: Rows, i: int, j: int, is_fan: BoolArray, is_centre: BoolArray
) -> CoreArrays:
    """Cores, some of them several times; is_fan and is_centre say in the end what is left."""
    offsets, targets = rows
    found, count = _room_for_cores(j), 0
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
                    found, count = _with_core(found, count, core, common), count + 1
            is_fan[page] = False
        has_changed |= _without_lone_centres(inlinks, i, is_fan, is_centre)
    return _without_room(found, count, j)


@compiled
def _fans_of(rows: Rows, inlinks: Rows, core: IntArray, is_fan: BoolArray) -> IntArray:
    """The fans that link to every centre of a core, ascending."""
    in_offsets, sources = inlinks
    least = core[0]  # of the centres that with the fewest links
    for centre in core[1:]:
        if in_offsets[centre + 1] - in_offsets[centre] < in_offsets[least + 1] - in_offsets[least]:
            least = centre
    found = np.empty(in_offsets[least + 1] - in_offsets[least], np.int32)
    count = 0
    for other in sources[in_offsets[least] : in_offsets[least + 1]]:
        is_common = is_fan[other]
        for centre in core:
            is_common = is_common and (centre == least or _links_to(rows, other, centre))
        if is_common:
            found[count] = other
            count += 1
    return found[:count]


@compiled
def _links_to(rows: Rows, page: int, target: int) -> bool:
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
    """Drop the centres that fewer than i fans link to; whether there were any."""
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


@compiled
def enumerated_cores(
    rows: Rows, inlinks: Rows, i: int, j: int, most_steps: int
) -> tuple[CoreArrays, bool]:
    """The same for what is left, by depth-first search among the centres of each fan; and whether that was all. A core
    is told when its first fan has its turn."""
    offsets, targets = rows
    in_offsets, sources = inlinks
    longest = 0
    for page in range(len(in_offsets) - 1):
        longest = max(longest, in_offsets[page + 1] - in_offsets[page])
    common = np.empty((j, longest), np.int32)  # the fans of the centres chosen so far, at each level
    counts = np.zeros(j, np.int64)
    chosen = np.zeros(j, np.int64)
    found, count = _room_for_cores(j), 0
    steps = 0
    for fan in range(len(offsets) - 1):
        end = offsets[fan + 1]
        if end - offsets[fan] < j:
            continue
        level = 0
        chosen[0] = offsets[fan] - 1
        while level >= 0:
            chosen[level] += 1
            if chosen[level] > end - (j - level):
                level -= 1
                continue
            steps += 1
            if steps > most_steps:
                return _without_room(found, count, j), False
            centre = targets[chosen[level]]
            linking = sources[in_offsets[centre] : in_offsets[centre + 1]]
            if level == 0:
                size = len(linking)
                common[0, :size] = linking
            else:
                size = _intersected(linking, common[level - 1, : counts[level - 1]], common[level])
            counts[level] = size
            if size < i:
                continue
            if level < j - 1:
                chosen[level + 1] = chosen[level]
                level += 1
                continue
            if common[level, 0] == fan:
                found, count = _with_core(found, count, targets[chosen], common[level, :size]), count + 1
    return _without_room(found, count, j), True


@compiled
def _intersected(one: IntArray, other: IntArray, both: IntArray) -> int:
    """Write into `both` what two ascending arrays share; how much that is."""
    size = place = 0
    for number in one:
        while place < len(other) and other[place] < number:
            place += 1
        if place < len(other) and other[place] == number:
            both[size] = number
            size += 1
    return size


@compiled
def _room_for_cores(j: int) -> CoreArrays:
    return np.empty(j * 1024, np.int32), np.zeros(1025, np.int64), np.empty(4096, np.int32)


@compiled
def _with_core(found: CoreArrays, count: int, centres: IntArray, fans: IntArray) -> CoreArrays:
    """The `count` cores found, and one more."""
    all_centres, ends, all_fans = found
    j, begin = len(centres), ends[count]
    all_centres = _with_room(all_centres, (count + 1) * j)
    ends = _with_room(ends, count + 2)
    all_fans = _with_room(all_fans, begin + len(fans))
    all_centres[count * j : (count + 1) * j] = centres
    all_fans[begin : begin + len(fans)] = fans
    ends[count + 1] = begin + len(fans)
    return all_centres, ends, all_fans


@compiled
def _without_room(found: CoreArrays, count: int, j: int) -> CoreArrays:
    centres, ends, fans = found
    return centres[: count * j], ends[: count + 1], fans[: ends[count]]


@compiled
def _with_room(array: Integers, size: int) -> Integers:
    """The array, or a copy with room for `size` numbers; what is new is not set."""
    while len(array) < size:
        array = np.concatenate((array, np.empty_like(array)))
    return array
