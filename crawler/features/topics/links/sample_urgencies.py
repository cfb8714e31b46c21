"""Urgencies under which a share of very many pages comes by lot and the others by what they promise."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.descending import descending
from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.analysis.sampling import sampling_numbers


def urgencies_with_sample(predicted: FloatArray, pages: IntArray, share: float) -> FloatArray:
    """Those of the pages in the order of `lots.order_with_sample`, shape (k,): that of the page which comes j-th is the
    j-th largest promise, whatever made it come j-th. share: below 1; 0 for no sample.
    """
    count = len(pages)
    if not share or not count:
        return predicted
    by_relevance = descending(predicted)
    numbers = sampling_numbers(pages)
    # No lot of another page than the first so many comes up before all have come by their predicted.
    most = count * share / (1 - share) + 1
    drawn = np.flatnonzero(numbers <= (most + 6 * np.sqrt(most)) / count).astype(np.int32)
    if len(drawn) < min(most, count):  # numbers are uniform, and hardly ever so far from it
        drawn = np.arange(count, dtype=np.int32)
    drawn = drawn[descending(-numbers[drawn])]
    urgencies = np.empty(count)
    _merge(predicted, by_relevance, drawn, share, urgencies)
    return urgencies


@compiled
def _merge(predicted: FloatArray, by_relevance: IntArray, drawn: IntArray, share: float, urgencies: FloatArray) -> None:
    """Of the place that comes j-th, the j-th largest promise. Place by_relevance[i] comes at (i + 1) / (1 - share) and
    drawn[j] at (j + 1/2) / share, whichever is sooner; of two at once, the lower first.
    """
    is_there = np.zeros(len(predicted), np.bool_)
    i = 0
    j = 0
    for come in range(len(predicted)):
        while is_there[by_relevance[i]]:
            i += 1
        while j < len(drawn) and is_there[drawn[j]]:
            j += 1
        place = by_relevance[i]
        if j < len(drawn):
            turn, sampled = (i + 1) / (1 - share), (j + 0.5) / share
            if sampled < turn or (sampled == turn and drawn[j] < place):
                place = drawn[j]
        urgencies[place] = predicted[by_relevance[come]]
        is_there[place] = True
