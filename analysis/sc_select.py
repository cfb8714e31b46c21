"""SC-Select: the influence of a frontier page on the PageRank of the local domain, by stochastic complementation.

Davis & Dhillon, "Estimating the Global PageRank of Web Communities", KDD 2006. With F the graph of the ℓ crawled
pages, f its PageRank, o[k] the outlinks of k that stay inside F, and w = (1-α)/(ℓ+1), one power iteration on the
stochastic complement of F in F + j, begun at f, changes f by x + y + g z:

    z[i] = (α s[i] + w) / (1 - w)                        how j is assumed to pass on what it receives
    g    = w + α Σ_{k→j} f[k]/(o[k]+1) + α D/(ℓ+1)       flow into j
    x[i] = -α Σ_{k→j, k→i} f[k] / (o[k] (o[k]+1))        what i loses because k now links to j as well
    y    = w - (1-α)/ℓ + α (D/(ℓ+1) - d/ℓ)               what every page loses

The links of j are unknown; s[i], the share of the links in F that lead to i, stands for them. d is the PageRank
of the dangling pages in F, and D that of the dangling pages that do not link to j: a page whose only link leads to j
spreads its rank over all of F until j belongs to it, and then gives all of it to j. (The paper has no such
pages; the terms with d and D follow from the same complement.)

The score is Σ_{i∈L} |x[i] + y + g z[i]|. Without x, each term depends on i only through z[i], so the sorted values of
z, their prefix sums and one binary search for the change of sign give the sum exactly. x is nonzero only for the
siblings of j, and each of these corrects the sum. So all scores take O(ℓ log ℓ + Σ_{k→j} o[k]) steps; the paper
approximates.
"""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import BoolArray, FloatArray, Graph, IntArray, Rows
from hinterland.analysis.pagerank import DAMPING


def sc_select_scores(
    crawled: CrawledGraph, ranks: FloatArray, pages: IntArray, *, damping: float = DAMPING
) -> FloatArray:
    """Return the influence of each frontier page of `pages`, shape (k,).

    `ranks` is f, shape (ℓ,), the PageRank of crawled.inner with a uniform preference.
    """
    inner = crawled.inner
    if not inner.page_count:
        return np.zeros(len(pages))
    places = np.full(crawled.page_count, -1, np.int32)
    places[crawled.crawled] = np.arange(inner.page_count, dtype=np.int32)
    z = _changes(inner, damping)
    is_local = crawled.is_local[crawled.crawled]
    of_local = np.sort(z[is_local])  # numpy's sort; compiling one takes longer than most of its sorts
    return _influences(
        inlinks=crawled.links.transposed.rows,
        places=places,
        inner=inner.rows,
        z=z,
        sorted_z=of_local,
        is_local=is_local,
        f=ranks,
        pages=pages,
        damping=damping,
    )


def _changes(inner: Graph, damping: float) -> FloatArray:
    """Return z, as defined above, of every crawled page."""
    size, links = inner.page_count, inner.link_count
    w = (1 - damping) / (size + 1)
    share = inner.indegrees / links if links else np.full(size, 1 / size)
    z: FloatArray = (damping * share + w) / (1 - w)
    return z


@compiled
def _influences(
    inlinks: Rows,
    places: IntArray,
    inner: Rows,
    z: FloatArray,
    sorted_z: FloatArray,
    is_local: BoolArray,
    f: FloatArray,
    pages: IntArray,
    damping: float,
) -> FloatArray:
    """Return the scores of `pages`."""
    in_offsets, in_sources = inlinks
    offsets, targets = inner
    size = len(f)
    w = (1 - damping) / (size + 1)
    dangling = 0.0
    for i in range(size):
        if offsets[i] == offsets[i + 1]:
            dangling += f[i]
    sums = np.zeros(len(sorted_z) + 1)
    for i in range(len(sorted_z)):
        sums[i + 1] = sums[i] + sorted_z[i]

    leaks = np.zeros(size)
    siblings = np.empty(size, np.int32)
    scores = np.empty(len(pages))
    for index in range(len(pages)):
        page = pages[index]
        flow = 0.0
        given_up = 0.0  # by pages that were dangling until now
        found = 0
        for link in range(in_offsets[page], in_offsets[page + 1]):
            k = places[in_sources[link]]
            if k < 0:
                continue
            outdegree = offsets[k + 1] - offsets[k]
            flow += f[k] / (outdegree + 1)
            if not outdegree:
                given_up += f[k]
                continue
            leak = damping * f[k] / (outdegree * (outdegree + 1.0))
            for out in range(offsets[k], offsets[k + 1]):
                i = targets[out]
                if is_local[i]:
                    if leaks[i] == 0:
                        siblings[found] = i
                        found += 1
                    leaks[i] += leak
        elsewhere = damping * (dangling - given_up) / (size + 1)
        g = w + damping * flow + elsewhere
        y = w - (1 - damping) / size + elsewhere - damping * dangling / size
        # z below -y/g loses, z above gains.
        below = np.searchsorted(sorted_z, -y / g)
        above = len(sorted_z) - below
        score = -(y * below + g * sums[below]) + y * above + g * (sums[-1] - sums[below])
        for place in range(found):
            i = siblings[place]
            change = y + g * z[i]
            score += abs(change - leaks[i]) - abs(change)
            leaks[i] = 0.0
        scores[index] = score
    return scores
