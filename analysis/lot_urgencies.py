"""Urgencies under which a share of very many pages comes by lot and the others by what they promise."""

from __future__ import annotations

import numpy as np

from analysis.compiled import compiled
from analysis.descending import descending
from analysis.graph import FloatArray, IntArray
from analysis.sampling import sampling_numbers


def urgencies_with_lots(promises: FloatArray, pages: IntArray, share: float) -> FloatArray:
    """Those of the pages in the order of `lots.order_with_lots`, shape (k,): that of the page which comes j-th is the
    j-th largest promise, whatever made it come j-th. share: below 1; 0 for no sample."""
    count = len(pages)
    if not share or not count:
        return promises
    by_promise = descending(promises)
    lots = sampling_numbers(pages)
    # No lot of another page comes up before all have come by their promises.
    most = min(count, int(count * share / (1 - share)) + 1)
    drawn = np.flatnonzero(lots <= np.partition(lots, most - 1)[most - 1])
    drawn = drawn[np.argsort(lots[drawn], kind="stable")]
    turns: FloatArray = (np.arange(count) + 1) / (1 - share)
    lot_turns: FloatArray = (np.arange(len(drawn), dtype=np.float64) + 0.5) / share
    order = np.empty(count, np.int32)
    _merge(by_promise, turns, drawn.astype(np.int32), lot_turns, order)
    urgencies = np.empty(count)
    urgencies[order] = promises[by_promise]
    return urgencies


@compiled
def _merge(by_promise: IntArray, turns: FloatArray, drawn: IntArray, lots: FloatArray, order: IntArray) -> None:
    """Fill in the order of the places that come at turns[i] if they are by_promise[i] and at lots[j] if they are
    drawn[j], whichever is sooner; of two at once, the lower first."""
    is_there = np.zeros(len(order), np.bool_)
    i = 0
    j = 0
    for come in range(len(order)):
        while is_there[by_promise[i]]:
            i += 1
        while j < len(drawn) and is_there[drawn[j]]:
            j += 1
        is_lot = j < len(drawn) and (lots[j] < turns[i] or (lots[j] == turns[i] and drawn[j] < by_promise[i]))
        order[come] = drawn[j] if is_lot else by_promise[i]
        is_there[order[come]] = True
