"""Computes how much PageRank flows into each frontier page."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import FloatArray, IntArray, OffsetArray


def frontier_flow(crawled: CrawledGraph, ranks: FloatArray, pages: IntArray) -> FloatArray:
    """Return the flow Σ_{k→j} f[k] / (o[k] + 1) into each frontier page j of `pages`, shape (k,).

    This is the score of PF-Select (Davis & Dhillon, KDD 2006). F is the graph of the crawled pages, `ranks` its
    PageRank f, shape (ℓ,), and o[k] the number of links of page k inside F. The score is the rank that page j would
    receive, if it were added to F, from the pages that link to it.
    """
    shares = np.zeros(crawled.page_count)
    shares[crawled.crawled] = ranks / (crawled.inner.outdegrees + 1.0)
    return _received(crawled.order, crawled.ends, crawled.targets, shares)[pages]


@compiled
def _received(order: IntArray, ends: OffsetArray, targets: IntArray, shares: FloatArray) -> FloatArray:
    """Return the sum of the shares of the pages that link to each page, shape (n,).

    Links are followed in crawl order, since transposing them first would take several times as long.
    """
    received = np.zeros(len(shares))
    for i in range(len(order)):
        share = shares[order[i]]
        for link in range(ends[i - 1] if i else 0, ends[i]):
            received[targets[link]] += share
    return received
