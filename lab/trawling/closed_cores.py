"""Closed cores: a set of fans with all centres to which all of them link; compiled.

A dense part of the web holds too many cores C(i, j) to be useful: if fans have many centres in common, any j of these
form a core. Each such core lies within a closed core (a maximal biclique), and closed cores are few.

Each closed core is found once, without a list of the cores found before, by prefix-preserving closure extension: Uno,
Asai, Uchida & Arimura, "An Efficient Algorithm for Enumerating Closed Patterns in Transaction Databases" (Discovery
Science 2004).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import IntArray, Rows
from hinterland.lab.trawling.core_search import FoundCores, links_to
from hinterland.lab.trawling.ragged import no_rows, with_room, with_row, without_room

_NONE: Final = -1


@compiled
def closed_cores(rows: Rows, inlinks: Rows, i: int, j: int, most_steps: int) -> tuple[FoundCores, bool]:
    """Return the closed cores of at least i fans and j centres, and whether the search was complete.

    The search ends after `most_steps` steps. A step adds one centre to a core; the number of the centre is higher than
    that of the centre added before. Fans that do not link to it are dropped. The core is then closed by adding all
    other centres that the remaining fans have in common. If one of these is below the new centre, the core was found
    before and is skipped.
    """
    offsets, _ = rows
    in_offsets, sources = inlinks
    n = len(in_offsets) - 1
    deepest = 3
    for page in range(n):
        deepest = max(deepest, in_offsets[page + 1] - in_offsets[page] + 3)  # at each level there are fewer fans
    tried = np.full(deepest, _NONE, np.int64)
    centre_ends, fan_ends = np.zeros(deepest, np.int64), np.zeros(deepest, np.int64)
    centres, fans = (
        np.empty(64, np.int32),
        np.empty(64, np.int32),
    )  # of the core at each level, after those of the level before
    found_centres, found_fans, count = no_rows(), no_rows(), 0
    level, steps = 1, int(np.int64(0))  # at level 1 the core has no centre, and all pages are its fans
    while level > 0:
        known = centres[centre_ends[level - 1] : centre_ends[level]]
        linking = fans[fan_ends[level - 1] : fan_ends[level]]
        centre = _next_centre(rows, linking, tried[level] + 1) if level > 1 else tried[1] + 1
        if centre in (_NONE, n):
            level -= 1
            continue
        tried[level] = centre
        steps += 1
        if steps > most_steps:
            return (without_room(found_centres, count), without_room(found_fans, count)), False
        those = sources[in_offsets[centre] : in_offsets[centre + 1]]
        if len(those) < i or _is_among(known, centre):
            continue
        fans = with_room(fans, fan_ends[level] + len(those))
        fewer = fans[fan_ends[level] : fan_ends[level] + len(those)]
        fewer = fewer[: _intersected(those, linking if level > 1 else those, fewer)]
        if len(fewer) < i:
            continue
        centres = with_room(centres, centre_ends[level] + offsets[fewer[0] + 1] - offsets[fewer[0]])
        size = _closed(rows, fewer, centre, known, centres[centre_ends[level] :])
        if size == _NONE:
            continue
        level += 1
        tried[level] = centre
        centre_ends[level], fan_ends[level] = centre_ends[level - 1] + size, fan_ends[level - 1] + len(fewer)
        if size >= j:
            found_centres = with_row(found_centres, count, centres[centre_ends[level - 1] : centre_ends[level]])
            found_fans = with_row(found_fans, count, fewer)
            count += 1
    return (without_room(found_centres, count), without_room(found_fans, count)), True


@compiled
def _next_centre(rows: Rows, fans: IntArray, least: int) -> int:
    """Return the lowest page, from `least` on, to which one of the fans links; -1 if there is no such page."""
    offsets, targets = rows
    found = _NONE
    for fan in fans:
        row = targets[offsets[fan] : offsets[fan + 1]]
        place = np.searchsorted(row, least)
        if place < len(row) and (found == _NONE or row[place] < found):
            found = int(row[place])
    return found


@compiled
def _closed(rows: Rows, fans: IntArray, centre: int, known: IntArray, centres: IntArray) -> int:
    """Write all centres to which all these fans link into `centres`, and return how many there are.

    Returns -1 if a centre below `centre` is not among the known ones.
    """
    offsets, targets = rows
    size = 0
    for target in targets[offsets[fans[0]] : offsets[fans[0] + 1]]:
        is_common = True
        for fan in fans[1:]:
            if not links_to(rows, fan, target):
                is_common = False
                break
        if not is_common:
            continue
        if target < centre and not _is_among(known, target):
            return _NONE
        centres[size] = target
        size += 1
    return size


@compiled
def _is_among(ascending: IntArray, number: int) -> bool:
    place = np.searchsorted(ascending, number)
    return bool(place < len(ascending) and ascending[place] == number)


@compiled
def _intersected(one: IntArray, other: IntArray, both: IntArray) -> int:
    """Write the numbers that two ascending arrays have in common into `both`, and return how many there are."""
    size = place = 0
    for number in one:
        while place < len(other) and other[place] < number:
            place += 1
        if place < len(other) and other[place] == number:
            both[size] = number
            size += 1
    return size
