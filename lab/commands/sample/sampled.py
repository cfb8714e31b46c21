"""A sample with what it was drawn from."""

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
"""Pages accepted that are tested, evenly spread: more say little more where they follow one another."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Sampled:
    """degrees: of each page by its number in the sample, shape (n,); name: what a page is called."""

    method: str
    plan: Plan
    seed: int
    sample: PageSample
    degrees: IntArray
    name: Callable[[int], str]

    @cached_property
    def effective_size(self) -> float:
        """By how the degrees of pages accepted one after another resemble each other."""
        degrees = self.degrees[self.sample.accepted].astype(np.float64)
        return min(effective_size(np.log1p(degrees)), len(self.sample.pages))


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledWeb(Sampled):
    """By a live walk. retried: pages that failed and were tried again; lost: those that failed in the end."""

    retried: int
    lost: int


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledGraph(Sampled):
    """graph: of all pages whose links are known, n; start, sample: in its numbers. reach: the pages that the walk may
    come to; population: those of them that the sample is to be uniform over: all but redirects. ages: of each page,
    shape (n,).
    """

    start: int
    sampler: GraphSampler
    graph: Graph
    reach: IntArray
    population: IntArray
    ages: IntArray

    @cached_property
    def buckets(self) -> dict[str, list[Bucket]]:
        """By inlinks, outlinks and age: of the pages accepted, be the sample all of them or few."""
        pages, population = self._accepted, self.population
        found = {name: by_degree(self._values[name], pages, population) for name in ("inlinks", "outlinks")}
        return {**found, "age": by_age(self.ages, pages, population)}

    def test(self, name: str) -> ChiSquare:
        """Whether the sample is uniform over these buckets."""
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
        """Of an undirected walk within reach."""
        return eigenvalues(self._walked) if self.method == "undirected" and len(self.reach) > 1 else None

    @cached_property
    def bound(self) -> MixingBound | None:
        """The paper's, if it does not take too long."""
        is_feasible = self.method == "undirected" and 1 < len(self.reach) <= MOST_PAGES_FOR_BOUND
        return mixing_bound(self._walked) if is_feasible else None

    @cached_property
    def _walked(self) -> Graph:
        return self.sampler.walked.among(self.reach)
