"""Computes the urgencies of many pages, so that a share of the visits is random and the others follow predictions."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.descending import descending
from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.analysis.sampling import sampling_numbers


def urgencies_with_sample(predicted: FloatArray, pages: IntArray, share: float) -> FloatArray:
    """Return the urgencies of the pages in the order of `exploration_sample.order_with_sample`, shape (k,).

    The j-th page in the order gets the j-th largest of all predictions, whichever page that prediction belongs to.
    `share` is below 1; 0 means no sample.
    """
    count = len(pages)
    if not share or not count:
        return predicted
    by_relevance = descending(predicted)
    numbers = sampling_numbers(pages)
    # Only the first pages drawn, this many, can come before all pages have come by their prediction.
    most = count * share / (1 - share) + 1
    drawn = np.flatnonzero(numbers <= (most + 6 * np.sqrt(most)) / count).astype(np.int32)
    if len(drawn) < min(most, count):  # the numbers are uniform, and hardly ever deviate that far
        drawn = np.arange(count, dtype=np.int32)
    drawn = drawn[descending(-numbers[drawn])]
    urgencies = np.empty(count)
    _merge(predicted, by_relevance, drawn, share, urgencies)
    return urgencies


@compiled
def _merge(predicted: FloatArray, by_relevance: IntArray, drawn: IntArray, share: float, urgencies: FloatArray) -> None:
    """Fill in `urgencies`: the j-th page in the merged order gets the j-th largest prediction.

    Page by_relevance[i] comes at time (i + 1) / (1 - share), and page drawn[j] at time (j + 1/2) / share; a page with
    both times comes at the earlier time. Of two pages with the same time, the one with the lower index comes first.
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
