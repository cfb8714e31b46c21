"""How probably a random surfer on a page outside comes back into the local domain before he jumps.

The share of its links that lead there is but the first click: a page none of whose links lead into the domain may
still link to the one page that hands on all it receives. With P the links, d the damping factor and L the local
domain, the probability h is that of hitting L (Norris, Markov Chains, theorem 1.3.2):

    h(q) = 1 for q in L,    h(p) = d Σ P(p, q) h(q) for the other pages,

where the links of a frontier page are those that its similarity to crawled pages predicts.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.compiled import compiled
from analysis.graph import BoolArray, FloatArray, IntArray, OffsetArray
from analysis.pagerank import DAMPING
from analysis.similarity import Similarity, predicted_rates

_CLICKS: Final = 3
"""Longer ways back are neglected. 1 click was clearly worse; for 10 half of the domains had a preference."""


def return_probabilities(similarity: Similarity, weights: FloatArray, is_local: BoolArray) -> FloatArray:
    """To be in the local domain within three clicks, shape (n,), as the models predict it: of a model, the others.

    0 where nothing predicts it, and of crawled local pages; of frontier pages of the domain as of any others. weights:
    how much each kind of similarity counts, shape (4,). A page without links leads nowhere.
    """
    links = similarity.links
    of_models: FloatArray = links.zeros(links.page_count, np.float64)
    for _ in range(_CLICKS):
        ahead = predicted_rates(similarity, weights, of_models)
        np.copyto(ahead, of_models, where=similarity.is_model)
        ahead[is_local] = 1.0
        of_models[:] = 0.0
        _take_means(links.offsets, links.targets, ahead, of_models)
        of_models *= DAMPING
        del ahead  # 8 bytes for every page known
    return predicted_rates(similarity, weights, of_models)


@compiled
def _take_means(offsets: OffsetArray, targets: IntArray, values: FloatArray, means: FloatArray) -> None:
    """The mean of what each page links to; that of a page without links stays 0."""
    for page in range(len(means)):
        total = 0.0
        for link in range(offsets[page], offsets[page + 1]):
            total += values[targets[link]]
        if total:
            means[page] = total / (offsets[page + 1] - offsets[page])
