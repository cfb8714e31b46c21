"""The base of frontier policies in plug-ins; `hinterland.policies` is also their entry-point group.

A policy is a callable that takes a seed and returns a `FrontierPolicy`, usually a class derived from `FixedOrder`
(urgencies never change) or `RankedOrder` (they follow PageRank).
"""

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.features.topics.policies.reading_policy import Reading, ReadingPolicy
from hinterland.crawler.frontier.policies.fixed_order import FixedOrder
from hinterland.crawler.frontier.policies.passed_on import PassedOn
from hinterland.crawler.frontier.policies.policy import FloatArray, FrontierPolicy, IntArray, OffsetArray
from hinterland.crawler.frontier.policies.ranked_order import RankedOrder

__all__ = [
    "CrawledGraph",
    "FixedOrder",
    "FloatArray",
    "FrontierPolicy",
    "IntArray",
    "OffsetArray",
    "PassedOn",
    "RankedOrder",
    "Reading",
    "ReadingPolicy",
]
