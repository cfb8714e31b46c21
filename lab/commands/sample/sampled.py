"""A sample together with its source, which is a stored graph or the live web."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from hinterland.analysis.graph import Graph, IntArray
from hinterland.lab.walks.diagnostics import (
    Bucket,
    ChiSquare,
    by_age,
    by_degree,
    chi_square,
    effective_size,
    least_effective_size,
)
from hinterland.lab.walks.graph_sampler import GraphSampler
from hinterland.lab.walks.mixing import MOST_PAGES_FOR_BOUND, Eigenvalues, MixingBound, eigenvalues, mixing_bound
from hinterland.lab.walks.sampling import PageSample, Plan

_TESTED: Final = 100_000
"""The most accepted pages that are tested, evenly spread: more add little, as neighbours resemble each other."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sampled:
    """A sample and the parameters of its walk.

    `degrees` is the degree of each page, by the numbers of the sample, shape (n,); `name` returns the name of a page.
    """

    method: str
    plan: Plan
    seed: int
    sample: PageSample
    degrees: IntArray
    name: Callable[[int], str]

    @cached_property
    def effective_size(self) -> float:
        """The number of independent pages that tell as much as the sample, by the degrees of accepted pages."""
        degrees = self.degrees[self.sample.accepted].astype(np.float64)
        return min(effective_size(np.log1p(degrees)), len(self.sample.pages))


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledWeb(Sampled):
    """A sample drawn by a live walk.

    `retried` counts the pages that failed and were retried, `lost` the pages that failed in the end.
    """

    retried: int
    lost: int


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledGraph(Sampled):
    """A sample drawn from a stored graph. Pages have the numbers of `graph`.

    `graph` has the n pages whose links are known. `reach` holds the pages that the walk may reach. `population` holds
    the pages over which the sample should be uniform, without redirects. `ages` has the age of each page, shape (n,).
    """

    start: int
    sampler: GraphSampler
    graph: Graph
    reach: IntArray
    population: IntArray
    ages: IntArray

    @cached_property
    def buckets(self) -> dict[str, list[Bucket]]:
        """The buckets by inlinks, outlinks and age. They cover all accepted pages, even if the sample has fewer."""
        pages, population = self._accepted, self.population
        found = {name: by_degree(self._values[name], pages, population) for name in ("inlinks", "outlinks")}
        return {**found, "age": by_age(self.ages, pages, population)}

    def test(self, name: str) -> ChiSquare:
        """Test whether the sample is uniform over the buckets called `name`."""
        buckets = self.buckets[name]
        return chi_square(buckets, least_effective_size(self._values[name][self._accepted], buckets))

    @property
    def _accepted(self) -> IntArray:
        accepted = self.sample.accepted
        return accepted if len(accepted) <= _TESTED else self.sample.of_at_most(_TESTED).pages

    @property
    def _values(self) -> dict[str, IntArray]:
        return {"inlinks": self.graph.indegrees, "outlinks": self.graph.outdegrees, "age": self.ages}

    @cached_property
    def eigenvalues(self) -> Eigenvalues | None:
        """The eigenvalues of an undirected walk on the pages within reach; None for other methods."""
        return eigenvalues(self._walked) if self.method == "undirected" and len(self.reach) > 1 else None

    @cached_property
    def bound(self) -> MixingBound | None:
        """The paper's bound of the second eigenvalue; None if computing it would take too long."""
        is_feasible = self.method == "undirected" and 1 < len(self.reach) <= MOST_PAGES_FOR_BOUND
        return mixing_bound(self._walked) if is_feasible else None

    @cached_property
    def _walked(self) -> Graph:
        return self.sampler.walked.among(self.reach)
