"""Connected components and the bow tie that they make."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from hinterland.analysis.graph import Graph, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Components:
    """A partition of the pages. numbers: the component of each page, shape (n,); sizes: by number, shape (k,)."""

    numbers: IntArray
    sizes: IntArray

    @property
    def largest(self) -> IntArray:
        """The pages of the largest component, ascending; of equals, that of the lowest number."""
        return np.flatnonzero(self.numbers == np.argmax(self.sizes)).astype(np.int32) if len(self.sizes) else self.sizes


def components(graph: Graph, connection: Literal["strong", "weak"]) -> Components:
    """Strong: with paths both ways between any two pages. Weak: with paths over links in whatever direction."""
    if not graph.page_count:
        return Components(np.empty(0, np.int32), np.empty(0, np.int32))
    ones = np.ones(graph.link_count, np.int8)
    shape = (graph.page_count, graph.page_count)
    matrix = csr_array((ones, graph.targets, graph.offsets.astype(_index_type(graph))), shape=shape)
    count, numbers = connected_components(matrix, directed=True, connection=connection)
    return Components(numbers.astype(np.int32), np.bincount(numbers, minlength=count).astype(np.int32))


def _index_type(graph: Graph) -> type[np.int32] | type[np.int64]:
    return np.int32 if graph.link_count < np.iinfo(np.int32).max else np.int64


class Region(IntEnum):
    """Of the bow tie (Broder et al., 2000)."""

    CORE = 0
    """the largest strong component"""
    IN = 1
    """leads to the core"""
    OUT = 2
    """is led to by the core"""
    TUBE = 3
    """on a path from IN to OUT that avoids the core"""
    TENDRIL = 4
    """hangs on one of those without such a path"""
    DISCONNECTED = 5
    """no path at all, whatever the direction of its links"""


@dataclass(frozen=True, eq=False, slots=True)
class BowTie:
    """regions: of each page, a Region, shape (n,). counts: by region, shape (6,)."""

    regions: NDArray[np.uint8]
    counts: IntArray


def bow_tie(graph: Graph, strong: Components, weak: Components) -> BowTie:
    """Where each page lies as seen from the largest strong component.

    strong, weak: the components of the graph. Where several strong components are largest, the first one is the core.
    """
    regions = np.full(graph.page_count, Region.DISCONNECTED, np.uint8)
    if graph.page_count:
        core = strong.largest
        regions[weak.numbers == weak.numbers[core[0]]] = Region.TENDRIL
        ahead, behind = _mask(graph, graph.reachable_from(core)), _mask(graph, graph.transposed.reachable_from(core))
        from_in = _mask(graph, graph.reachable_from(np.flatnonzero(behind & ~ahead)))
        to_out = _mask(graph, graph.transposed.reachable_from(np.flatnonzero(ahead & ~behind)))
        regions[from_in & to_out] = Region.TUBE
        regions[behind] = Region.IN
        regions[ahead] = Region.OUT
        regions[core] = Region.CORE
    return BowTie(regions, np.bincount(regions, minlength=len(Region)).astype(np.int32))


def _mask(graph: Graph, pages: IntArray) -> NDArray[np.bool_]:
    mask = np.zeros(graph.page_count, np.bool_)
    mask[pages] = True
    return mask
