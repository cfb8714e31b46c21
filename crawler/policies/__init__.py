"""Frontier policies: in which order waiting pages are fetched.

A policy sees page numbers, depths, hosts and links as arrays, never URLs, delays, clocks or SQL. So the same object can
steer a live crawl or be replayed on a stored graph. A new policy is one file and one line below. Policies
outside the package are plug-ins (`crawler/plugins`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hinterland.crawler.frontier.policies.policy import FrontierPolicy


@dataclass(frozen=True, slots=True)
class _PolicyAt:
    """Makes policies of one class, and imports its module only when the first one is made."""

    where: str
    """The class of the policy, as "module:class"."""

    def __call__(self, seed: int) -> FrontierPolicy:
        """Return a new policy; `seed` determines its random draws."""
        module, _, name = self.where.partition(":")
        made: FrontierPolicy = getattr(import_module(module), name)(seed)
        return made


GRAPH_POLICIES: dict[str, Callable[[int], FrontierPolicy]] = {
    "bfs": _PolicyAt("hinterland.crawler.policies.breadth_first:BreadthFirst"),
    "dfs": _PolicyAt("hinterland.crawler.policies.depth_first:DepthFirst"),
    "random": _PolicyAt("hinterland.crawler.policies.uniform_random:UniformRandom"),
    "indegree": _PolicyAt("hinterland.crawler.policies.indegree:Indegree"),
    "outlink-count": _PolicyAt("hinterland.crawler.policies.outlink_count:OutlinkCount"),
    "opic": _PolicyAt("hinterland.crawler.policies.opic:Opic"),
    "pagerank": _PolicyAt("hinterland.crawler.policies.pagerank_order:PageRankOrder"),
    "flow": _PolicyAt("hinterland.crawler.policies.flow_order:FlowOrder"),
    "sc-select": _PolicyAt("hinterland.crawler.policies.sc_select:ScSelect"),
    "return-flow": _PolicyAt("hinterland.crawler.policies.return_flow:ReturnFlow"),
}
"""Policies that use only links: name -> factory."""

TOPIC_POLICIES: dict[str, Callable[[int], FrontierPolicy]] = {
    "focused": _PolicyAt("hinterland.crawler.features.topics.policies.focused:Focused"),
    "parent-relevance": _PolicyAt("hinterland.crawler.features.topics.policies.inherited_quality:ParentRelevance"),
    "qfirst": _PolicyAt("hinterland.crawler.features.topics.policies.inherited_quality:QFirst"),
    "qmin": _PolicyAt("hinterland.crawler.features.topics.policies.inherited_quality:QMin"),
    "forward-learning": _PolicyAt("hinterland.crawler.features.topics.policies.forward_learning:ForwardLearning"),
    "tag-path-bandit": _PolicyAt("hinterland.crawler.features.topics.policies.tag_path_bandit:TagPathBandit"),
}
"""Policies that also learn what pages and links say about a topic (see `reading_policy`): name -> factory."""

POLICIES = GRAPH_POLICIES | TOPIC_POLICIES


_INTERPRETED = frozenset(("opic", *TOPIC_POLICIES))
"""Policies whose refreshes run no compiled code. Policies without refreshes are not listed."""


def is_compiled(name: str) -> bool:
    """Return whether the policy may run compiled code; True for every plug-in that needs refreshes."""
    return name not in _INTERPRETED and POLICIES[name](0).needs_refresh


def make_policy(name: str, seed: int) -> FrontierPolicy:
    """Return a new policy of POLICIES; the same seed gives the same random draws."""
    return POLICIES[name](seed)


def add_policy(name: str, make: Callable[[int], FrontierPolicy]) -> None:
    """Add a plug-in's policy to the tables."""
    from hinterland.crawler.features.topics.policies.reading_policy import ReadingPolicy  # imports numpy

    kind = TOPIC_POLICIES if isinstance(make(0), ReadingPolicy) else GRAPH_POLICIES
    kind[name] = POLICIES[name] = make


__all__ = ["GRAPH_POLICIES", "POLICIES", "TOPIC_POLICIES", "add_policy", "is_compiled", "make_policy"]
