"""How much a frontier page, once crawled, changes the PageRank of the local domain: what SC-Select predicts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.crawled_graph import CrawledGraph
from analysis.graph import FloatArray, IntArray
from analysis.pagerank import pagerank

TOLERANCE = 1e-10


def exact_influences(
    crawled: CrawledGraph, ranks: FloatArray, pages: IntArray, outlinks: Callable[[int], IntArray]
) -> FloatArray:
    """Σ_{i∈L} |f_j[i] - f[i]| for each frontier page j of `pages`, shape (k,).

    f_j is the PageRank of F with j and its true links, without j and scaled to sum to 1 (Davis & Dhillon, KDD
    2006, section 4). ranks: f, shape (ℓ,), the PageRank of crawled.inner. outlinks: the known pages that a frontier
    page links to, distinct. One PageRank a page.
    """
    is_local = crawled.is_local[crawled.crawled]
    influences = np.empty(len(pages))
    for place, page in enumerate(pages.tolist()):
        targets = outlinks(page)
        targets = targets[targets != page]
        grown = CrawledGraph(
            np.append(crawled.order, np.int32(page)),
            np.append(crawled.ends, np.int64(len(crawled.targets) + len(targets))),
            np.concatenate([crawled.targets, targets.astype(np.int32)]),
            crawled.is_local,
            crawled.hosts,
        )
        position = int(np.searchsorted(grown.crawled, page))
        start = np.insert(ranks, position, 1 / (len(ranks) + 1))
        with_page = pagerank(grown.inner, start=start, tolerance=TOLERANCE)
        without = np.delete(with_page, position)
        influences[place] = np.abs(without / without.sum() - ranks)[is_local].sum()
    return influences
