"""PageRank flow into the frontier."""

from __future__ import annotations

import numpy as np

from analysis.compiled import compiled
from analysis.crawled_graph import CrawledGraph
from analysis.graph import FloatArray, IntArray, OffsetArray


def frontier_flow(crawled: CrawledGraph, ranks: FloatArray, pages: IntArray) -> FloatArray:
    """Σ_{k→j} f[k] / (o[k] + 1) for each frontier page j of `pages`, shape (k,).

    The score of PF-Select (Davis & Dhillon, KDD 2006): what page j would receive, once it belongs to F, of the
    PageRank f of the pages that link to it. ranks: f, shape (ℓ,), of the graph F of the crawled pages; o[k]:
    outlinks of k that stay inside F.
    """
    shares = np.zeros(crawled.page_count)
    shares[crawled.crawled] = ranks / (crawled.inner.outdegrees + 1.0)
    inlinks = crawled.links.transposed
    return _gathered(inlinks.offsets, inlinks.targets, shares, pages)


@compiled
def _gathered(offsets: OffsetArray, sources: IntArray, shares: FloatArray, pages: IntArray) -> FloatArray:
    sums = np.zeros(len(pages))
    for i in range(len(pages)):
        for link in range(offsets[pages[i]], offsets[pages[i] + 1]):
            sums[i] += shares[sources[link]]
    return sums
