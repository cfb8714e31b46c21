"""Frontier policies: in which order waiting pages should be fetched.

A policy sees page numbers, depths and links as arrays; never URLs, delays, clocks or SQL, so the object
that steers a live crawl can be replayed on a stored graph. A new policy is one file and one line below.
"""

from __future__ import annotations

from collections.abc import Callable

from crawler.policies.breadth_first import BreadthFirst
from crawler.policies.depth_first import DepthFirst
from crawler.policies.indegree import Indegree
from crawler.policies.policy import FrontierPolicy
from crawler.policies.uniform_random import UniformRandom

POLICIES: dict[str, Callable[[int], FrontierPolicy]] = {
    "bfs": lambda seed: BreadthFirst(),
    "dfs": lambda seed: DepthFirst(),
    "random": UniformRandom,
    "indegree": lambda seed: Indegree(),
}
"""Name -> factory taking the random seed."""

__all__ = ["POLICIES", "FrontierPolicy"]
