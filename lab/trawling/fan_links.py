"""The links in which communities are searched: the links of pages that link to many hosts, without mirrors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import BoolArray, Graph, IntArray, OffsetArray, Rows

_WINDOW: Final = 5
"""Links in a shingle, as in the paper."""
HashArray = NDArray[np.uint64]


@dataclass(frozen=True, eq=False, slots=True)
class FanLinks:
    """The links in which communities are searched.

    `fans` counts the pages with links to enough other hosts. `mirrors` counts the pages that were left out as copies of
    another page, and `popular` the centres that were left out because too many pages link to them.
    """

    links: Graph
    fans: int
    mirrors: int
    popular: int


def fan_links(
    graph: Graph, hosts: IntArray, *, min_hosts: int = 6, max_inlinks: int = 50, drop_mirrors: bool = True
) -> FanLinks:
    """Prepare a graph as the paper does.

    What follows is dropped, in this order. `hosts` has shape (n,).

        links within a host
        pages that link to fewer than `min_hosts` hosts
        mirrors, which have nearly the same links as another page: of all runs of 5 links of a page, the two with the
        lowest hashes are compared
        centres with more than `max_inlinks` links from the remaining pages
    """
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
    links = kept_links(graph, hosts, is_fan, is_centre)
    return FanLinks(links, fans, mirrors, int((~is_centre).sum()))


def kept_links(graph: Graph, hosts: IntArray | None, is_fan: BoolArray, is_centre: BoolArray) -> Graph:
    """Return the links from fans to centres. If `hosts` is given, links within a host are left out."""
    numbers = np.arange(graph.page_count, dtype=np.int32) if hosts is None else hosts
    offsets, targets = _links_kept(graph.rows, numbers, is_fan, is_centre)
    for array in (offsets, targets):
        array.flags.writeable = False
    return Graph(offsets, targets)


@compiled
def _linked_hosts(rows: Rows, hosts: IntArray, host_count: int) -> IntArray:
    """Return the number of other hosts that each page links to."""
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
    """Return the number of fans on other hosts that link to each page."""
    offsets, targets = rows
    counts = np.zeros(len(is_fan), np.int32)
    for page in range(len(is_fan)):
        if is_fan[page]:
            for link in range(offsets[page], offsets[page + 1]):
                counts[targets[link]] += int(hosts[targets[link]] != hosts[page])
    return counts


@compiled
def _shingles(rows: Rows, hosts: IntArray, pages: OffsetArray) -> HashArray:
    """Return the two lowest hashes of each page's runs of five links to other hosts, shape (k, 2).

    A page with fewer than five links has a single run with all of them.
    """
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
