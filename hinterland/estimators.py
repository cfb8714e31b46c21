"""The base of estimators in plug-ins; `hinterland.estimators` is also their entry-point group.

An estimator is a callable without arguments that returns an `Estimator`. Each time ranks are estimated, all known
estimators compute an estimate, to show how far the estimates differ.
"""

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimators import Estimator
from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank

__all__ = ["CrawledGraph", "Estimator", "FloatArray", "Graph", "IntArray", "pagerank"]
