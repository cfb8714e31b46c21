"""The probability that a random surfer on an external page returns to the local domain before jumping.

How many of a page's links lead into the domain covers only the first click: a page without such links may still link to
a page from which all links lead there. With P the links, d the damping factor and L the local domain, the probability h
is that of hitting L (Norris, Markov Chains, theorem 1.3.2):

    h(q) = 1 for q in L,    h(p) = d Σ P(p, q) h(q) for the other pages,

where the links of a frontier page are predicted from similar crawled pages.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.estimates.similarity import Columns, Similarity, predicted_rates, sums_of_rates
from hinterland.analysis.graph import BoolArray, FloatArray, IntArray, Rows
from hinterland.analysis.pagerank import DAMPING

_CLICKS: Final = 3
"""The maximum number of clicks; longer paths back are neglected. 1 click was clearly worse; 10 clicks were better for
only half of the domains."""


def return_probabilities(similarity: Similarity, weights: FloatArray) -> FloatArray:
    """Return the predicted probability of being in the local domain within three clicks, shape (n,).

    The probability of a model is predicted from the other models. It is 0 for pages without a prediction and for
    crawled local pages; frontier pages of the domain are treated like external pages. A page without links leads
    nowhere. `weights` holds the weights of the four kinds of similarity, shape (4,).
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
    """Add to `counts`, shape (ℓ,), the number of local pages to which each crawled page links."""
    offsets, sources = inlinks
    for page in range(len(is_local)):
        if is_local[page]:
            for link in range(offsets[page], offsets[page + 1]):
                counts[sources[link]] += 1


@compiled
def _take_means(columns: Columns, crawled: IntArray, at_home: FloatArray, ahead: FloatArray, means: FloatArray) -> None:
    """Fill in `means`: for each model, DAMPING (`at_home` + `ahead`) / its number of links; 0 for other pages."""
    (offsets, _), _, (_, _, is_model, _), _, _, _, _ = columns
    for place in range(len(crawled)):
        page = crawled[place]
        total = at_home[place] + ahead[place]
        means[place] = 0.0
        if is_model[page] and total:
            means[place] = DAMPING * total / (offsets[page + 1] - offsets[page])
