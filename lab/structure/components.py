"""Connected components, and the bow tie that they form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from hinterland.analysis.graph import Graph, IntArray


@dataclass(frozen=True, eq=False, slots=True)
class Components:
    """A partition of the pages into connected components.

    `numbers` holds the number of each page's component, shape (n,), and `sizes` how many pages each component has,
    shape (k,).
    """

    numbers: IntArray
    sizes: IntArray

    @property
    def largest(self) -> IntArray:
        """The pages of the largest component, ascending; of the first such component if several are largest."""
        return np.flatnonzero(self.numbers == np.argmax(self.sizes)).astype(np.int32) if len(self.sizes) else self.sizes


def components(graph: Graph, connection: Literal["strong", "weak"]) -> Components:
    """Find the components of a graph.

    Any two pages of a strong component have paths both ways; any two pages of a weak component have a path that ignores
    the direction of links.
    """
    if not graph.page_count:
        return Components(np.empty(0, np.int32), np.empty(0, np.int32))
    ones = np.ones(graph.link_count, np.int8)
    shape = (graph.page_count, graph.page_count)
    matrix = scipy.sparse.csr_array((ones, graph.targets, graph.offsets.astype(_index_type(graph))), shape=shape)
    count, numbers = scipy.sparse.csgraph.connected_components(matrix, directed=True, connection=connection)
    return Components(numbers.astype(np.int32), np.bincount(numbers, minlength=count).astype(np.int32))


def _index_type(graph: Graph) -> type[np.int32] | type[np.int64]:
    return np.int32 if graph.link_count < np.iinfo(np.int32).max else np.int64


class Region(IntEnum):
    """A region of the bow tie (Broder et al., 2000)."""

    CORE = 0
    """the largest strong component"""
    IN = 1
    """leads to the core"""
    OUT = 2
    """can be reached from the core"""
    TUBE = 3
    """on a path from IN to OUT that avoids the core"""
    TENDRIL = 4
    """in the weak component of the core, and in none of the other regions"""
    DISCONNECTED = 5
    """not connected with the core, even if the direction of links is ignored"""


@dataclass(frozen=True, eq=False, slots=True)
class BowTie:
    """The Region of each page, shape (n,), and the number of pages by region, shape (6,)."""

    regions: NDArray[np.uint8]
    counts: IntArray


def bow_tie(graph: Graph, strong: Components, weak: Components) -> BowTie:
    """Find where each page lies relative to the largest strong component.

    `strong` and `weak` are the components of the graph. If several strong components are largest, the first is the
    core.
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
