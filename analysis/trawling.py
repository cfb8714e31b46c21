"""Trawling: communities as bipartite cores C(i, j), found by elimination and generation.

Kumar, Raghavan, Rajagopalan & Tomkins, "Trawling the Web for Emerging Cyber-Communities" (WWW 1999); Kumar et al., "The
Web as a Graph" (PODS 2000), section 2.2. A core is a set of j centres to all of which the same i fans link, or more.

The links are read in passes, by source and by destination in turn; beside them there are some bytes a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from analysis.compiled import compiled
from analysis.graph import BoolArray, Graph, IntArray, OffsetArray, Rows

_WINDOW: Final = 5
"""Links in a shingle, as in the paper."""
_MOST_STEPS: Final = 200_000
"""Of the enumeration in the end, each along the links to a centre: a tenth of a second. What is left is dense, and has
so many cores that overlap that nobody could want them all."""

HashArray = NDArray[np.uint64]


@dataclass(frozen=True, eq=False, slots=True)
class FanLinks:
    """The links that communities are looked for in.

    Counted: pages with links to enough other hosts; of these, mirrors of others, left out; centres that so many link to
    that it says nothing, left out.
    """

    links: Graph
    fans: int
    mirrors: int
    popular: int


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


def fan_links(
    graph: Graph, hosts: IntArray, *, min_hosts: int = 6, max_inlinks: int = 50, drop_mirrors: bool = True
) -> FanLinks:
    """What the paper leaves of a graph beforehand. Links within a host are dropped; then pages that link to fewer than
    `min_hosts` hosts; then pages whose links are those of another, or nearly: of its runs of 5 links, the two that hash
    lowest are the same; then centres with more than `max_inlinks` links from the rest. hosts: shape (n,)."""
    is_fan: BoolArray = _linked_hosts(graph.rows, hosts, int(hosts.max(initial=0)) + 1) >= min_hosts
    fans = int(is_fan.sum())
    mirrors = 0
    if drop_mirrors:
        chosen = np.flatnonzero(is_fan)
        _, first = np.unique(_shingles(graph.rows, hosts, chosen), axis=0, return_index=True)
        mirrors = len(chosen) - len(first)
        is_fan = np.zeros_like(is_fan)
        is_fan[chosen[first]] = True
    is_centre = _inlinks(graph.rows, hosts, is_fan) <= max_inlinks
    links = _kept(graph, hosts, is_fan, is_centre)
    return FanLinks(links, fans, mirrors, int((~is_centre).sum()))


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
    generated = _generated(links.rows, links.transposed.rows, i, j, is_fan, is_centre)
    left_fans = int(is_fan.sum())
    none = np.empty(0, np.int32)
    enumerated = none, np.zeros(1, np.int64), none, not left_fans
    if left_fans and most_steps:
        left = _kept(links, None, is_fan, is_centre)
        enumerated = _enumerated(left.rows, left.transposed.rows, i, j, most_steps)
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
        enumerated[3],
    )


def diverse(found: Cores, hosts: IntArray, i: int) -> BoolArray:
    """Which cores have fans on at least i hosts, shape (k,)."""
    cores_of_fans = np.repeat(np.arange(len(found)), np.diff(found.offsets))
    pairs = np.unique(cores_of_fans * (int(hosts.max(initial=0)) + 1) + hosts[found.fans])
    counts = np.bincount(pairs // (int(hosts.max(initial=0)) + 1), minlength=len(found))
    is_diverse: BoolArray = counts >= i
    return is_diverse


@dataclass(frozen=True, eq=False, slots=True)
class Community:
    """The fans of one core or several, and all the centres they have in common. hosts: on how many the fans lie."""

    fans: IntArray
    centres: IntArray
    hosts: int


def communities(found: Cores, links: Graph, hosts: IntArray) -> list[Community]:
    """Cores with the same fans are one. Those of fans on most hosts come first, as it is not one author who made their
    links; of these the largest, by fans times centres."""
    distinct = {found.fans_of(core).tobytes(): found.fans_of(core) for core in range(len(found))}
    joined = [Community(fans, _common(links, fans), len(np.unique(hosts[fans]))) for fans in distinct.values()]
    return sorted(joined, key=lambda each: (-each.hosts, -len(each.fans) * len(each.centres), each.fans.tolist()))


def _common(links: Graph, fans: IntArray) -> IntArray:
    centres = links.successors(int(fans[0]))
    for fan in fans[1:].tolist():
        centres = np.intersect1d(centres, links.successors(fan), assume_unique=True)
    return centres


def _kept(graph: Graph, hosts: IntArray | None, is_fan: BoolArray, is_centre: BoolArray) -> Graph:
    """The links from fans to centres; with hosts those between hosts."""
    numbers = np.arange(graph.page_count, dtype=np.int32) if hosts is None else hosts
    offsets, targets = _links_kept(graph.rows, numbers, is_fan, is_centre)
    for array in (offsets, targets):
        array.flags.writeable = False
    return Graph(offsets, targets)


# ---------------------------------------------------------------- passes over the links


@compiled
def _linked_hosts(rows: Rows, hosts: IntArray, host_count: int) -> IntArray:
    """To how many other hosts each page links."""
    offsets, targets = rows
    counts = np.zeros(len(offsets) - 1, np.int32)
    last = np.full(host_count, -1, np.int32)
    for page in range(len(counts)):
        for link in range(offsets[page], offsets[page + 1]):
            host = hosts[targets[link]]
            if last[host] != page and host != hosts[page]:
                last[host] = page
                counts[page] += 1
    return counts


@compiled
def _inlinks(rows: Rows, hosts: IntArray, is_fan: BoolArray) -> IntArray:
    """How many fans on other hosts link to each page."""
    offsets, targets = rows
    counts = np.zeros(len(is_fan), np.int32)
    for page in range(len(is_fan)):
        if is_fan[page]:
            for link in range(offsets[page], offsets[page + 1]):
                counts[targets[link]] += int(hosts[targets[link]] != hosts[page])
    return counts


@compiled
def _shingles(rows: Rows, hosts: IntArray, pages: OffsetArray) -> HashArray:
    """Of each page the lowest two hashes of its runs of five links to other hosts, or of all of them if they are fewer;
    shape (k, 2)."""
    offsets, targets = rows
    lowest = np.full((len(pages), 2), np.uint64(0xFFFFFFFFFFFFFFFF))
    for i in range(len(pages)):
        remote = np.empty(offsets[pages[i] + 1] - offsets[pages[i]], np.int32)
        size = 0
        for link in range(offsets[pages[i]], offsets[pages[i] + 1]):
            if hosts[targets[link]] != hosts[pages[i]]:
                remote[size] = targets[link]
                size += 1
        for start in range(max(1, size - _WINDOW + 1)):
            mixed = np.uint64(0x9E3779B97F4A7C15)
            for place in range(start, min(start + _WINDOW, size)):
                mixed = (mixed ^ np.uint64(remote[place])) * np.uint64(0xBF58476D1CE4E5B9)
                mixed ^= mixed >> np.uint64(29)
            if mixed < lowest[i, 0]:
                lowest[i, 1] = lowest[i, 0]
                lowest[i, 0] = mixed
            elif mixed < lowest[i, 1] and mixed != lowest[i, 0]:
                lowest[i, 1] = mixed
    return lowest


@compiled
def _links_kept(rows: Rows, hosts: IntArray, is_fan: BoolArray, is_centre: BoolArray) -> Rows:
    offsets, targets = rows
    kept_offsets = np.zeros_like(offsets)
    size = 0
    for page in range(len(is_fan)):
        if is_fan[page]:
            for link in range(offsets[page], offsets[page + 1]):
                size += int(is_centre[targets[link]] and hosts[targets[link]] != hosts[page])
        kept_offsets[page + 1] = size
    kept = np.empty(size, np.int32)
    size = 0
    for page in range(len(is_fan)):
        if is_fan[page]:
            for link in range(offsets[page], offsets[page + 1]):
                if is_centre[targets[link]] and hosts[targets[link]] != hosts[page]:
                    kept[size] = targets[link]
                    size += 1
    return kept_offsets, kept


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
def _generated(
    rows: Rows, inlinks: Rows, i: int, j: int, is_fan: BoolArray, is_centre: BoolArray
) -> tuple[IntArray, OffsetArray, IntArray]:
    """Cores, some of them several times, as k times j centres, offsets and fans; is_fan and is_centre say in the end
    what is left."""
    offsets, targets = rows
    in_offsets, sources = inlinks
    n = len(is_fan)
    centres, cores_found = np.empty(j * 1024, np.int32), 0
    ends, fans, fan_count = np.zeros(1025, np.int64), np.empty(4096, np.int32), 0
    core = np.empty(j, np.int32)
    has_changed = True
    while has_changed:
        has_changed = False
        for page in range(n):
            if is_fan[page]:
                degree = 0
                for link in range(offsets[page], offsets[page + 1]):
                    if is_centre[targets[link]]:
                        if degree < j:
                            core[degree] = targets[link]
                        degree += 1
                if degree > j:
                    continue
                is_fan[page] = False
                has_changed = True
                if degree < j:
                    continue
                least = core[0]  # of the centres that with the fewest links
                for k in range(1, j):
                    if in_offsets[core[k] + 1] - in_offsets[core[k]] < in_offsets[least + 1] - in_offsets[least]:
                        least = core[k]
                common = 0
                for link in range(in_offsets[least], in_offsets[least + 1]):
                    other = sources[link]
                    is_common = is_fan[other] or other == page
                    for k in range(j):
                        is_common = is_common and (core[k] == least or _links_to(rows, other, core[k]))
                    if is_common:
                        if fan_count + common >= len(fans):
                            fans = np.concatenate((fans, np.empty_like(fans)))
                        fans[fan_count + common] = other
                        common += 1
                if common >= i:
                    if (cores_found + 1) * j > len(centres):
                        centres = np.concatenate((centres, np.empty_like(centres)))
                        ends = np.concatenate((ends, np.empty_like(ends)))
                    for k in range(j):
                        centres[cores_found * j + k] = core[k]
                    cores_found += 1
                    fan_count += common
                    ends[cores_found] = fan_count
        for page in range(n):
            if is_centre[page]:
                degree = 0
                for link in range(in_offsets[page], in_offsets[page + 1]):
                    degree += int(is_fan[sources[link]])
                if degree < i:
                    is_centre[page] = False
                    has_changed = True
    return centres[: cores_found * j], ends[: cores_found + 1], fans[:fan_count]


@compiled
def _enumerated(
    rows: Rows, inlinks: Rows, i: int, j: int, most_steps: int
) -> tuple[IntArray, OffsetArray, IntArray, bool]:
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
    centres, cores_found = np.empty(j * 1024, np.int32), 0
    ends, fans, fan_count = np.zeros(1025, np.int64), np.empty(4096, np.int32), 0
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
                return centres[: cores_found * j], ends[: cores_found + 1], fans[:fan_count], False
            centre = targets[chosen[level]]
            size = 0
            if level == 0:
                for link in range(in_offsets[centre], in_offsets[centre + 1]):
                    common[0, size] = sources[link]
                    size += 1
            else:
                place = 0
                for link in range(in_offsets[centre], in_offsets[centre + 1]):
                    while place < counts[level - 1] and common[level - 1, place] < sources[link]:
                        place += 1
                    if place < counts[level - 1] and common[level - 1, place] == sources[link]:
                        common[level, size] = sources[link]
                        size += 1
            counts[level] = size
            if size < i:
                continue
            if level < j - 1:
                chosen[level + 1] = chosen[level]
                level += 1
                continue
            if common[level, 0] != fan:
                continue
            if (cores_found + 1) * j > len(centres):
                centres = np.concatenate((centres, np.empty_like(centres)))
                ends = np.concatenate((ends, np.empty_like(ends)))
            for k in range(j):
                centres[cores_found * j + k] = targets[chosen[k]]
            cores_found += 1
            for k in range(size):
                if fan_count >= len(fans):
                    fans = np.concatenate((fans, np.empty_like(fans)))
                fans[fan_count] = common[level, k]
                fan_count += 1
            ends[cores_found] = fan_count
    return centres[: cores_found * j], ends[: cores_found + 1], fans[:fan_count], True
