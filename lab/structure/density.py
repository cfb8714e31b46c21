"""How densely pages are linked, ignoring the direction of links: k-cores and clustering."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import FloatArray, Graph, IntArray, OffsetArray


def undirected(graph: Graph) -> Graph:
    """Return a graph with each link and its reverse, without repeats. Takes at most twice the memory."""
    offsets, targets = _merged(*graph.rows, *graph.transposed.rows)
    for array in (offsets, targets):
        array.flags.writeable = False  # as in every graph, so that functions are compiled for one kind of array only
    return Graph(offsets, targets)


def coreness(neighbours: Graph) -> IntArray:
    """Return the coreness of each page, shape (n,): the largest k for which the page is in the k-core.

    The k-core is the largest part of the graph in which each page has at least k neighbours. `neighbours` is an
    undirected graph. Computed by the method of Batagelj & Zaveršnik (2003), in linear time in the links.
    """
    return _coreness(*neighbours.rows)


@dataclass(frozen=True, eq=False, slots=True)
class Clustering:
    """The clustering of a graph.

    `local`, shape (n,), holds for each page the fraction of the pairs of its neighbours that are linked (Watts &
    Strogatz 1998); 0 for a page with fewer than two neighbours. `triangles` is the number of triangles in the graph.
    `wedges` is the number of pairs of neighbours, summed over all pages.
    """

    local: FloatArray
    triangles: int
    wedges: int

    @property
    def average(self) -> float:
        """The mean of `local`."""
        return float(self.local.mean()) if len(self.local) else 0.0

    @property
    def transitivity(self) -> float:
        """The fraction of wedges whose two ends are linked."""
        return 3 * self.triangles / self.wedges if self.wedges else 0.0

    @property
    def average_error(self) -> float:
        """The standard error of `average`, as if the pages were a random sample."""
        return float(self.local.std(ddof=1) / np.sqrt(len(self.local))) if len(self.local) > 1 else 0.0


def clustering(neighbours: Graph) -> Clustering:
    """Compute the clustering of an undirected graph.

    Every triangle is found once, from its page of least degree (Latapy 2008): O(links^1.5) in the worst case.
    """
    closed = _triangles(*neighbours.rows)
    degrees = neighbours.outdegrees.astype(np.float64)
    wedges = degrees * (degrees - 1) / 2
    local = np.divide(closed, wedges, out=np.zeros(len(wedges)), where=wedges > 0)
    return Clustering(local, int(closed.sum()) // 3, int(wedges.sum()))


@compiled
def _merged(
    offsets: OffsetArray, targets: IntArray, in_offsets: OffsetArray, sources: IntArray
) -> tuple[OffsetArray, IntArray]:
    """Return the union of both ascending rows of each page."""
    count = len(offsets) - 1
    new_offsets = np.zeros(count + 1, np.int64)
    merged = np.empty(len(targets) + len(sources), np.int32)
    size = 0
    for page in range(count):
        i, end_i = offsets[page], offsets[page + 1]
        j, end_j = in_offsets[page], in_offsets[page + 1]
        while i < end_i or j < end_j:
            if j == end_j or (i < end_i and targets[i] <= sources[j]):
                if j < end_j and targets[i] == sources[j]:
                    j += 1
                merged[size] = targets[i]
                i += 1
            else:
                merged[size] = sources[j]
                j += 1
            size += 1
        new_offsets[page + 1] = size
    return new_offsets, merged[:size].copy()


@compiled
def _coreness(offsets: OffsetArray, neighbours: IntArray) -> IntArray:
    """Return the coreness of each page.

    The page with the fewest remaining neighbours is removed next; buckets keep the pages sorted by this number.
    """
    count = len(offsets) - 1
    degrees = np.empty(count, np.int32)
    largest = 0
    for page in range(count):
        degrees[page] = offsets[page + 1] - offsets[page]
        largest = max(largest, degrees[page])
    starts = np.zeros(largest + 2, np.int64)
    for page in range(count):
        starts[degrees[page] + 1] += 1
    for degree in range(largest + 1):
        starts[degree + 1] += starts[degree]
    order = np.empty(count, np.int32)
    places = np.empty(count, np.int64)
    following = starts[:-1].copy()
    for page in range(count):
        place = following[degrees[page]]
        order[place], places[page] = page, place
        following[degrees[page]] = place + 1
    for i in range(count):
        page = order[i]
        for link in range(offsets[page], offsets[page + 1]):
            other = neighbours[link]
            if degrees[other] > degrees[page]:
                # Swap it with the first of its bucket, which then begins after it.
                first = starts[degrees[other]]
                place, swapped = places[other], order[first]
                order[first], order[place] = other, swapped
                places[other], places[swapped] = first, place
                starts[degrees[other]] = first + 1
                degrees[other] -= 1
    return degrees


@compiled
def _triangles(offsets: OffsetArray, neighbours: IntArray) -> NDArray[np.int64]:
    """Return the number of triangles that each page is in, shape (n,)."""
    count = len(offsets) - 1
    # Only the links from each page to those of higher degree, so that no page has many.
    up_offsets = np.zeros(count + 1, np.int64)
    up = np.empty(len(neighbours) // 2, np.int32)
    size = 0
    for page in range(count):
        degree = offsets[page + 1] - offsets[page]
        for link in range(offsets[page], offsets[page + 1]):
            other = neighbours[link]
            other_degree = offsets[other + 1] - offsets[other]
            if other_degree > degree or (other_degree == degree and other > page):
                up[size] = other
                size += 1
        up_offsets[page + 1] = size
    found = np.zeros(count, np.int64)
    marked_by = np.full(count, -1, np.int32)
    for page in range(count):
        for link in range(up_offsets[page], up_offsets[page + 1]):
            marked_by[up[link]] = page
        for link in range(up_offsets[page], up_offsets[page + 1]):
            middle = up[link]
            for further in range(up_offsets[middle], up_offsets[middle + 1]):
                other = up[further]
                if marked_by[other] == page:
                    found[page] += 1
                    found[middle] += 1
                    found[other] += 1
    return found
