"""What estimators are built on; `hinterland.estimators` is also the entry-point group of plug-in estimators.

An estimator is a callable without arguments that returns an `Estimator`. Each time ranks are estimated, all known
estimators compute theirs, to show how far they differ.
"""

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimators import Estimator
from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank

__all__ = ["CrawledGraph", "Estimator", "FloatArray", "Graph", "IntArray", "pagerank"]
