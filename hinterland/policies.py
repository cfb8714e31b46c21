"""What frontier policies are made of; `hinterland.policies` is also the group of the entry points that offer some.

A policy is what is called with a seed and returns a `FrontierPolicy`, mostly a class on `FixedOrder` (urgencies never
change) or `RankedOrder` (they go by PageRank).
"""

from analysis.crawled_graph import CrawledGraph
from crawler.policies.fixed_order import FixedOrder
from crawler.policies.passed_on import PassedOn
from crawler.policies.policy import FloatArray, FrontierPolicy, IntArray, OffsetArray
from crawler.policies.ranked_order import RankedOrder
from crawler.policies.reading_policy import Reading, ReadingPolicy

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
