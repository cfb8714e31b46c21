"""The exact influence of a page on the local domain, computed from the links of the page when these are known."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import FloatArray, Graph, IntArray
from hinterland.analysis.pagerank import pagerank

_TOLERANCE = 1e-12


def exact_influence(crawled: CrawledGraph, web: Graph, pages: IntArray) -> FloatArray:
    """Return how much each frontier page j of `pages` would change the ranks of the local pages L, shape (k,).

    The change is Σ_{i∈L} |f_j[i] - f[i]|, which SC-Select estimates. f is the PageRank of the graph F of the crawled
    pages. f_j is the PageRank of F and j, with the links of j as in
    `web`, the graph of all pages. The value of j is left out, and the others are scaled to sum to 1 (Davis & Dhillon,
    KDD 2006). Since this needs a PageRank computation for each page, it is for comparison only.
    """
    f = pagerank(crawled.inner, tolerance=_TOLERANCE)
    is_local = crawled.is_local[crawled.crawled]
    start = np.append(f, f.min(initial=1.0))
    influences = np.empty(len(pages))
    for index, page in enumerate(pages.tolist()):
        grown = web.among(np.append(crawled.crawled, np.int32(page)))
        ranks = pagerank(grown, start=start, tolerance=_TOLERANCE)[:-1]
        influences[index] = np.abs(ranks / ranks.sum() - f)[is_local].sum()
    return influences
