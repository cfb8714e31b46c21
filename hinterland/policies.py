"""What frontier policies are made of; `hinterland.policies` is also the group of the entry points that offer some.

A policy is what is called with a seed and returns a `FrontierPolicy`, mostly a class on `FixedOrder` (urgencies never
change) or `RankedOrder` (they go by PageRank).
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
