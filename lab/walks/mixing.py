"""How fast an undirected walk forgets its start: the second eigenvalue, measured and bounded."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import FloatArray, Graph, IntArray, OffsetArray

MOST_PAGES_FOR_BOUND: Final = 5000
"""Larger graphs get no bound, since it takes a breadth-first search from each page."""


@dataclass(frozen=True, slots=True)
class Eigenvalues:
    """The second largest and the least eigenvalue of the transition matrix. Its largest eigenvalue is 1.

    If `is_settled`, they are exact to 10⁻⁶; otherwise, the second is a lower bound and the least is an upper bound.
    """

    second: float
    least: float
    is_settled: bool

    @property
    def modulus(self) -> float:
        """The factor by which each step shrinks the distance to the stationary distribution in the long run."""
        return max(self.second, -self.least)

    def steps(self, factor: float) -> float:
        """Return how many steps shrink the distance to the stationary distribution by `factor`; inf if none do."""
        return log(1 / factor) / -log(self.modulus) if 0 < self.modulus < 1 else (float("inf") if self.modulus else 0.0)


def eigenvalues(walked: Graph, *, steps: int = 200, seed: int = 0) -> Eigenvalues:
    """Compute the eigenvalues of a walk with a loop at each page, on a connected graph with links in both directions.

    Lanczos' method (1950) is applied to the symmetric matrix D^-½ (A + I) D^-½, with reorthogonalisation at each step.
    It takes 8 n `steps` bytes.
    """
    n = walked.page_count
    degrees: FloatArray = walked.outdegrees + np.ones(n)
    top = np.sqrt(degrees / degrees.sum())
    if n < 2:
        return Eigenvalues(0.0, 0.0, True)
    basis: FloatArray = np.zeros((min(steps, n - 1) + 1, n))
    vector = np.random.default_rng(seed).standard_normal(n)
    vector -= top * (top @ vector)
    basis[0] = vector / np.linalg.norm(vector)
    diagonal: list[float] = []
    beside: list[float] = []
    for k in range(len(basis) - 1):
        vector = _times(walked.offsets, walked.targets, degrees, basis[k])
        diagonal.append(float(vector @ basis[k]))
        for _ in range(2):  # twice is enough (Kahan & Parlett)
            vector -= top * (top @ vector)
            vector -= basis[: k + 1].T @ (basis[: k + 1] @ vector)
        beside.append(float(np.linalg.norm(vector)))
        if beside[-1] < 1e-12:
            break
        basis[k + 1] = vector / beside[-1]
    size = len(diagonal)
    off = beside[: size - 1]
    values, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(off, 1) + np.diag(off, -1))
    errors = beside[size - 1] * np.abs(vectors[-1])
    return Eigenvalues(float(values[-1]), float(values[0]), bool(max(errors[-1], errors[0]) < 1e-6))


@dataclass(frozen=True, slots=True)
class MixingBound:
    """The paper's bound of the second eigenvalue: 1 - 2|E| / (d² γ b) (Diaconis & Stroock 1991).

    `degree` is d, the largest degree with loops, and `diameter` is γ. For `bottleneck`, b, take one shortest path for
    each ordered pair of pages: b is the largest number of these paths that use the same link in the same direction.
    Because of the loops, the least eigenvalue is at least -1 + 2/d.
    """

    second: float
    least: float
    degree: int
    diameter: int
    bottleneck: int


def mixing_bound(walked: Graph) -> MixingBound:
    """Compute the bound for a connected graph with links in both directions. The time is in O(n (n + links))."""
    degrees = walked.outdegrees + 1
    degree, total = int(degrees.max()), int(degrees.sum())
    diameter, bottleneck = map(int, _paths(walked.offsets, walked.targets))
    second = 1 - total / (float(degree) ** 2 * diameter * bottleneck) if bottleneck else 0.0
    return MixingBound(second, -1 + 2 / degree, degree, diameter, bottleneck)


@compiled
def _times(offsets: OffsetArray, targets: IntArray, degrees: FloatArray, x: FloatArray) -> FloatArray:
    """Return D^-½ (A + I) D^-½ x."""
    scaled = x / np.sqrt(degrees)
    product = scaled.copy()
    for page in range(len(x)):
        for link in range(offsets[page], offsets[page + 1]):
            product[page] += scaled[targets[link]]
    return product / np.sqrt(degrees)


@compiled
def _paths(offsets: OffsetArray, targets: IntArray) -> tuple[int, int]:
    """Return the length of the longest shortest path, and the largest number of shortest paths that use the same link.

    There is one path for each ordered pair of pages: it follows the breadth-first tree of the first page.
    """
    n = len(offsets) - 1
    shared = np.zeros(len(targets), np.int64)
    distance = np.empty(n, np.int32)
    parent_link = np.empty(n, np.int64)
    parent = np.empty(n, np.int32)
    below_it = np.empty(n, np.int64)
    queue = np.empty(n, np.int32)
    longest = 0
    for source in range(n):
        distance[:] = -1
        distance[source] = 0
        queue[0] = source
        head, tail = 0, 1
        while head < tail:
            page = queue[head]
            head += 1
            below_it[page] = 1
            for link in range(offsets[page], offsets[page + 1]):
                target = targets[link]
                if distance[target] < 0:
                    distance[target] = distance[page] + 1
                    parent[target] = page
                    parent_link[target] = link
                    queue[tail] = target
                    tail += 1
        longest = max(longest, int(distance[queue[tail - 1]]))
        for place in range(tail - 1, 0, -1):
            page = queue[place]
            shared[parent_link[page]] += below_it[page]
            below_it[parent[page]] += below_it[page]
    return longest, int(max(shared))
