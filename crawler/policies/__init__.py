"""Frontier policies: in which order waiting pages should be fetched.

A policy sees page numbers, depths, hosts and links as arrays; never URLs, delays, clocks or SQL, so the object
that steers a live crawl can be replayed on a stored graph. A new policy is one file and one line below; one that
lives elsewhere is a plug-in (`crawler/plugins`).
"""

from __future__ import annotations

from collections.abc import Callable

from hinterland.crawler.features.topics.policies.focused import Focused
from hinterland.crawler.features.topics.policies.forward_learning import ForwardLearning
from hinterland.crawler.features.topics.policies.inherited_quality import ParentRelevance, QFirst, QMin
from hinterland.crawler.features.topics.policies.reading_policy import ReadingPolicy
from hinterland.crawler.features.topics.policies.tag_path_bandit import TagPathBandit
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.policies.breadth_first import BreadthFirst
from hinterland.crawler.policies.depth_first import DepthFirst
from hinterland.crawler.policies.flow_order import FlowOrder
from hinterland.crawler.policies.indegree import Indegree
from hinterland.crawler.policies.opic import Opic
from hinterland.crawler.policies.outlink_count import OutlinkCount
from hinterland.crawler.policies.pagerank_order import PageRankOrder
from hinterland.crawler.policies.return_flow import ReturnFlow
from hinterland.crawler.policies.sc_select import ScSelect
from hinterland.crawler.policies.uniform_random import UniformRandom

GRAPH_POLICIES: dict[str, Callable[[int], FrontierPolicy]] = {
    "bfs": BreadthFirst,
    "dfs": DepthFirst,
    "random": UniformRandom,
    "indegree": Indegree,
    "outlink-count": OutlinkCount,
    "opic": Opic,
    "pagerank": PageRankOrder,
    "flow": FlowOrder,
    "sc-select": ScSelect,
    "return-flow": ReturnFlow,
}
"""Those that know the links alone. Name -> class."""

TOPIC_POLICIES: dict[str, Callable[[int], FrontierPolicy]] = {
    "focused": Focused,
    "parent-relevance": ParentRelevance,
    "qfirst": QFirst,
    "qmin": QMin,
    "forward-learning": ForwardLearning,
    "tag-path-bandit": TagPathBandit,
}
"""Those that learn from what pages and links say of a topic (see `reading_policy`). Name -> class."""

POLICIES = GRAPH_POLICIES | TOPIC_POLICIES


def make_policy(name: str, seed: int) -> FrontierPolicy:
    """A policy of POLICIES that has seen nothing yet. seed: where it draws at random, the same seed draws the same."""
    return POLICIES[name](seed)


def add_policy(name: str, make: Callable[[int], FrontierPolicy]) -> None:
    """Enter one that is not ours in the tables."""
    kind = TOPIC_POLICIES if isinstance(make(0), ReadingPolicy) else GRAPH_POLICIES
    kind[name] = POLICIES[name] = make


__all__ = ["GRAPH_POLICIES", "POLICIES", "TOPIC_POLICIES", "FrontierPolicy", "add_policy", "make_policy"]
