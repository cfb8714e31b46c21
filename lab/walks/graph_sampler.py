"""Samples of the pages of a graph in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank
from hinterland.lab.structure.density import undirected
from hinterland.lab.walks.graph_walk import GraphWalk
from hinterland.lab.walks.sampling import PageSample, Plan, SamplingMethod, sampling


@dataclass(frozen=True, eq=False)
class GraphSampler:
    """Samples the pages that a walk on a graph reaches.

    `walked` is the graph. It has links in both directions if the walk follows links in both directions. `method` is one
    of METHODS, with the degree bound of the graph.
    """

    walked: Graph
    method: SamplingMethod

    @classmethod
    def of(cls, graph: Graph, method: SamplingMethod) -> GraphSampler:
        """Return a sampler for a graph. If the method needs them, backward links and a degree bound are added."""
        walked = undirected(graph) if method.rule.both_ways else graph
        if method.rule.degree_bound:
            bound = max(method.rule.degree_bound, int(walked.outdegrees.max(initial=0)) + 1)
            method = replace(method, rule=replace(method.rule, degree_bound=bound))
        return cls(walked, method)

    def reach(self, start: int) -> IntArray:
        """Return the pages that a walk from `start` may reach, ascending."""
        if self.method.rule.jumps_to_all:
            return np.arange(self.walked.page_count, dtype=np.int32)
        return self.walked.reachable_from([start])

    def sample(
        self, plan: Plan, start: int, seed: int, progress: Callable[[int], object] = lambda _: None
    ) -> PageSample:
        """Draw one sample from page number `start`; `progress` is called with the number of steps taken so far."""
        walk = GraphWalk(self.walked, self.method.rule, start, seed)
        method = sampling(self.method, plan, seed, self.stationary)
        steps, taken = next(method), 0
        while True:
            pages = walk.walk(steps)
            taken += steps
            progress(taken)
            try:
                steps = method.send(pages)
            except StopIteration as end:
                found: PageSample = end.value
                return found

    def stationary(self, pages: IntArray) -> FloatArray:
        """Return π of distinct pages, ascending, up to a factor, shape (k,), if the method knows π."""
        match self.method.stationary:
            case "degree":
                return self.walked.outdegrees[pages] + np.ones(len(pages))
            case "pagerank":
                return pagerank(self.walked.among(pages), damping=1 - self.method.rule.jump)
            case _:
                return np.ones(len(pages))
