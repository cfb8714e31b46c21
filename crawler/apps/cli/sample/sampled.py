"""A sample with the graph that it was drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.graph import Graph, IntArray
from analysis.walks.diagnostics import Bucket, ChiSquare, by_age, by_degree, chi_square, effective_size
from analysis.walks.mixing import MOST_PAGES_FOR_BOUND, Eigenvalues, MixingBound, eigenvalues, mixing_bound
from analysis.walks.sampling import GraphSampler, Plan, Sample


@dataclass(frozen=True, eq=False)
class Sampled:
    """graph: of all pages whose links are known, n; start, sample: in its numbers. reach: the pages that the walk may
    come to, and that the sample is to be uniform over. ages, names: of each page, shape (n,)."""

    method: str
    plan: Plan
    seed: int
    start: int
    sample: Sample
    sampler: GraphSampler
    graph: Graph
    reach: IntArray
    ages: IntArray
    names: Sequence[str] | None

    @cached_property
    def effective_size(self) -> float:
        """By how the degrees of pages accepted one after another resemble each other."""
        pages = self.sample.accepted
        degrees = self.graph.indegrees[pages].astype(np.float64) + self.graph.outdegrees[pages]
        return min(effective_size(np.log1p(degrees)), len(self.sample.pages))

    @cached_property
    def buckets(self) -> dict[str, list[Bucket]]:
        """By inlinks, outlinks and age."""
        return {
            "inlinks": by_degree(self.graph.indegrees, self.sample.pages, self.reach),
            "outlinks": by_degree(self.graph.outdegrees, self.sample.pages, self.reach),
            "age": by_age(self.ages, self.sample.pages, self.reach),
        }

    def test(self, name: str) -> ChiSquare:
        """Whether the sample is uniform over these buckets."""
        return chi_square(self.buckets[name], self.effective_size)

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

    def name(self, page: int) -> str:
        return str(page) if self.names is None else self.names[page]
