"""What estimators are made of; `hinterland.estimators` is also the group of the entry points that offer some.

An estimator is what is called with nothing and returns an `Estimator`. All that are known are computed at each
estimate, so that one sees how far they are apart.
"""

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimators import Estimator
from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank

__all__ = ["CrawledGraph", "Estimator", "FloatArray", "Graph", "IntArray", "pagerank"]
