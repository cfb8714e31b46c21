"""PageRank flow into the frontier."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import FloatArray, IntArray, OffsetArray


def frontier_flow(crawled: CrawledGraph, ranks: FloatArray, pages: IntArray) -> FloatArray:
    """Return Σ_{k→j} f[k] / (o[k] + 1) for each frontier page j of `pages`, shape (k,).

    This is the score of PF-Select (Davis & Dhillon, KDD 2006): what page j would receive, once it belongs to F, of the
    PageRank f of the pages that link to it. `ranks` is f, shape (ℓ,), of the graph F of the crawled pages; o[k] counts
    the outlinks of k that stay inside F.
    """
    shares = np.zeros(crawled.page_count)
    shares[crawled.crawled] = ranks / (crawled.inner.outdegrees + 1.0)
    return _received(crawled.order, crawled.ends, crawled.targets, shares)[pages]


@compiled
def _received(order: IntArray, ends: OffsetArray, targets: IntArray, shares: FloatArray) -> FloatArray:
    """Add along the links in the order of the log: transposing them first takes several times as long."""
    received = np.zeros(len(shares))
    for i in range(len(order)):
        share = shares[order[i]]
        for link in range(ends[i - 1] if i else 0, ends[i]):
            received[targets[link]] += share
    return received
