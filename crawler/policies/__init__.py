"""Frontier policies: in which order waiting pages should be fetched.

A policy sees page numbers, depths, hosts and links as arrays; never URLs, delays, clocks or SQL, so the object
that steers a live crawl can be replayed on a stored graph. A new policy is one file and one line below.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from crawler.policies.policy import FrontierPolicy

POLICIES: dict[str, str] = {
    "bfs": "breadth_first.BreadthFirst",
    "dfs": "depth_first.DepthFirst",
    "random": "uniform_random.UniformRandom",
    "indegree": "indegree.Indegree",
    "outlink-count": "outlink_count.OutlinkCount",
    "opic": "opic.Opic",
    "pagerank": "pagerank_order.PageRankOrder",
    "flow": "flow_order.FlowOrder",
    "sc-select": "sc_select.ScSelect",
}
"""Name -> module and class. A module is imported when its policy is made: some bring a compiler with them."""


def make_policy(name: str, seed: int) -> FrontierPolicy:
    """A policy of POLICIES that has seen nothing yet. seed: where it draws lots, the same seed draws the same."""
    module, _, policy = POLICIES[name].partition(".")
    factory = cast(Callable[[int], FrontierPolicy], getattr(import_module(f"crawler.policies.{module}"), policy))
    return factory(seed)


__all__ = ["POLICIES", "FrontierPolicy", "make_policy"]
