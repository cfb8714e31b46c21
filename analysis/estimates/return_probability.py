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

from hinterland.analysis.compiled import compiled
from hinterland.analysis.estimates.similarity import Columns, Similarity, predicted_rates, sums_of_rates
from hinterland.analysis.graph import BoolArray, FloatArray, IntArray, Rows
from hinterland.analysis.pagerank import DAMPING

_CLICKS: Final = 3
"""Longer ways back are neglected. 1 click was clearly worse; for 10 half of the domains had a preference."""


def return_probabilities(similarity: Similarity, weights: FloatArray) -> FloatArray:
    """To be in the local domain within three clicks, shape (n,), as the models predict it: of a model, the others.

    0 where nothing predicts it, and of crawled local pages; of frontier pages of the domain as of any others. weights:
    how much each kind of similarity counts, shape (4,). A page without links leads nowhere.
    """
    zeros, size = similarity.links.zeros, len(similarity.crawled)
    at_home, ahead, rates = (zeros(size, np.float64) for _ in range(3))
    _count_local(similarity.inlinks, similarity.is_local, at_home)
    for click in range(_CLICKS):
        if click:
            ahead = sums_of_rates(similarity, weights, rates)
        _take_means(similarity.columns, similarity.crawled, at_home, ahead, rates)
    return predicted_rates(similarity, weights, rates)


@compiled
def _count_local(inlinks: Rows, is_local: BoolArray, counts: FloatArray) -> None:
    """How many pages of the local domain each crawled page links to."""
    offsets, sources = inlinks
    for page in range(len(is_local)):
        if is_local[page]:
            for link in range(offsets[page], offsets[page + 1]):
                counts[sources[link]] += 1


@compiled
def _take_means(columns: Columns, crawled: IntArray, at_home: FloatArray, ahead: FloatArray, means: FloatArray) -> None:
    """The damped mean of what each model links to: 1 at home, and what is ahead elsewhere; 0 if that is nothing."""
    (offsets, _), _, (_, _, is_model, _), _, _, _, _ = columns
    for place in range(len(crawled)):
        page = crawled[place]
        total = at_home[place] + ahead[place]
        means[place] = 0.0
        if is_model[page] and total:
            means[place] = DAMPING * total / (offsets[page + 1] - offsets[page])
